// Package requests has its statements in functions that handle requests.
package requests

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
)

// Schema makes the tables.
const Schema = `
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE note (owner text PRIMARY KEY, n int NOT NULL);
CREATE TABLE turn (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE login (email text PRIMARY KEY, tries int NOT NULL);`

// Server has the database.
type Server struct{ db *sql.DB }

// NewServer is a server on the database.
func NewServer(db *sql.DB) *Server { return &Server{db} }

// Key is the type of keys under which what runs before has the user.
type Key string

// Owner is one of these.
const Owner Key = "owner"

type withdrawal struct {
	Amount int    `json:"amount"`
	Note   string `json:"note,omitempty"`
}

// Withdraw reads the balance and then writes what is left.
func (s *Server) Withdraw(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var req withdrawal
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	left, err := s.left(r.Context(), id)
	if err != nil || left < req.Amount {
		http.Error(w, "no", http.StatusConflict)
		return
	}
	if _, err := s.db.ExecContext(r.Context(), "UPDATE account SET balance = $1 WHERE id = $2", left-req.Amount, id); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (s *Server) left(ctx context.Context, id int) (n int, err error) {
	return n, s.db.QueryRowContext(ctx, "SELECT balance FROM account WHERE id = $1", id).Scan(&n)
}

// Count returns what handles requests; the user is a value of the context.
func (s *Server) Count() http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		owner, n := r.Context().Value(Owner).(string), 0
		if err := s.db.QueryRow("SELECT n FROM note WHERE owner = $1", owner).Scan(&n); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		if _, err := s.db.Exec("UPDATE note SET n = $1 WHERE owner = $2", n+1, owner); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		io.WriteString(w, strconv.Itoa(n))
	}
}

// Add is made by a handler: what it does, Deposit does.
func (s *Server) Add(ctx context.Context, id, n int) error {
	_, err := s.db.ExecContext(ctx, "UPDATE account SET balance = balance + $1 WHERE id = $2", n, id)
	return err
}

// Deposit does nothing that Add does not do.
func (s *Server) Deposit(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.Atoi(r.FormValue("id"))
	if err := s.Add(r.Context(), id, 1); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// Run waits for requests: it is a part of a program.
func Run(db *sql.DB, address string) error {
	s := NewServer(db)
	if _, err := s.left(context.Background(), 1); err != nil {
		return err
	}
	served := make(chan error)
	go func() { served <- http.ListenAndServe(address, http.HandlerFunc(s.Withdraw)) }()
	return <-served
}

// Routes returns what hands requests to others.
func Routes(db *sql.DB) http.Handler {
	s, mux := NewServer(db), http.NewServeMux()
	if _, err := s.left(context.Background(), 1); err != nil {
		panic(err)
	}
	mux.HandleFunc("POST /withdraw/{id}", s.Withdraw)
	return mux
}

// Worker is started by programs.
type Worker interface{ Start() error }

type adder struct{ s *Server }

func (a adder) Start() error { return a.s.Add(context.Background(), 1, 1) }

// Work starts a worker.
func Work(db *sql.DB) error {
	var w Worker = adder{NewServer(db)}
	return w.Start()
}

type ticket struct{ id int }

// Odd is given what nobody else has.
func Odd(db *sql.DB, t ticket) error {
	_, err := db.Exec("UPDATE account SET balance = 0 WHERE id = $1", t.id)
	return err
}

type login struct {
	Email    string `json:"email" validate:"required,email"`
	Password string `json:"password" binding:"required,min=8"`
}

// Login counts tries, of what a validator accepts.
func (s *Server) Login(w http.ResponseWriter, r *http.Request) {
	var l login
	if err := json.NewDecoder(r.Body).Decode(&l); err != nil || !strings.Contains(l.Email, "@") || len(l.Password) < 8 {
		http.Error(w, "refused", http.StatusBadRequest)
		return
	}
	tries := 0
	if err := s.db.QueryRow("SELECT tries FROM login WHERE email = $1", l.Email).Scan(&tries); err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if _, err := s.db.Exec("UPDATE login SET tries = $1 WHERE email = $2", tries+1, l.Email); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// Turns returns what handles requests, of the database and a log.
func Turns(db *sql.DB, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := 0
		if err := db.QueryRow("SELECT n FROM turn WHERE id = $1", r.PathValue("id")).Scan(&n); err != nil {
			log.Error("turns", "error", err)
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		if _, err := db.Exec("UPDATE turn SET n = $1 WHERE id = $2", n+1, r.PathValue("id")); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}

// Logged is what handles requests before another one does: it is no call.
func Logged(db *sql.DB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := db.Exec("UPDATE turn SET n = 0 WHERE id = 0"); err != nil {
			return
		}
		next.ServeHTTP(w, r)
	})
}
