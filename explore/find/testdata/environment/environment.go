// Package environment takes the address of its database from the environment.
package environment

import (
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
)

// Schema makes the table.
const Schema = "CREATE TABLE product (id int PRIMARY KEY, stock int NOT NULL)"

// Store has the products.
type Store struct{ db *sql.DB }

// New opens the database, or ends the program.
func New() *Store {
	source := fmt.Sprintf("host=%s port=%s user=%s dbname=%s sslmode=%s", setting("DB_HOST", "127.0.0.1"), setting("DB_PORT", "1"), setting("DB_USER", "me"), setting("DB_NAME", "shop"), setting("DB_SSL_MODE", "require"))
	db, err := sql.Open("pgx", source)
	if err == nil {
		err = db.Ping()
	}
	if err != nil {
		log.Fatal(err)
	}
	return &Store{db}
}

func setting(name, otherwise string) string {
	if s, ok := os.LookupEnv(name); ok {
		return s
	}
	return otherwise
}

// Take reads the stock and then writes what is left.
func (s *Store) Take(id int) error {
	var stock int
	if err := s.db.QueryRow("SELECT stock FROM product WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if stock < 1 {
		return errors.New("sold out")
	}
	_, err := s.db.Exec("UPDATE product SET stock = $1 WHERE id = $2", stock-1, id)
	return err
}
