// Command program has all of its code in package main, and a database in a variable.
package main

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"os"
)

// schema makes the tables.
const schema = `CREATE TABLE product (id int PRIMARY KEY, stock int NOT NULL);
CREATE TABLE visit (page text PRIMARY KEY, n int NOT NULL);`

var db *sql.DB

// seen is the application's own.
func seen(n int) bool { return n > 0 }

type purchase struct {
	ID int `json:"id"`
}

type status struct{ db *sql.DB }

func newStatus(db *sql.DB) *status { return &status{db} }

func main() {
	var err error
	if db, err = sql.Open("pgx", os.Getenv("DSN")); err != nil {
		panic(err)
	}
	s := newStatus(db)
	http.HandleFunc("POST /buy", buy)
	http.HandleFunc("GET /visits/{page}", s.visit)
	panic(http.ListenAndServe(":8080", nil))
}

// buy reads the stock and then writes what is left.
func buy(w http.ResponseWriter, r *http.Request) {
	var p purchase
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	stock, err := left(p.ID)
	if err != nil || !seen(stock) {
		http.Error(w, "sold out", http.StatusConflict)
		return
	}
	if _, err := db.Exec("UPDATE product SET stock = $1 WHERE id = $2", stock-1, p.ID); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func left(id int) (stock int, err error) {
	return stock, db.QueryRow("SELECT stock FROM product WHERE id = $1", id).Scan(&stock)
}

// visit counts, and reads before it writes.
func (s *status) visit(w http.ResponseWriter, r *http.Request) {
	n := 0
	if err := s.db.QueryRow("SELECT n FROM visit WHERE page = $1", r.PathValue("page")).Scan(&n); err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if _, err := s.db.Exec("UPDATE visit SET n = $1 WHERE page = $2", n+1, r.PathValue("page")); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
