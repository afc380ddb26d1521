package serve_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/mysql/serve"
	"github.com/txmc/txmc/server/mock"
)

// A server is asked to end while clients commit, and answers them. An idle client holds
// nothing up, even when it has prepared and closed statements: these have no answer.
func TestDrain(t *testing.T) {
	s, err := serve.NewServer(mock.Options{Level: isolation.RC}, mysql.Schema(accounts))
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 100
	for i := range rounds {
		drain(t, s, time.Duration(i)*4*time.Microsecond)
	}
}

func drain(t *testing.T, s *serve.Server, after time.Duration) {
	l, err := mock.Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	soft, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan error)
	go func() { done <- s.Serve(soft, t.Context(), l) }()
	db, err := sql.Open("mysql", "root@tcp("+l.Addr().String()+")/app")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var idle int
	if err := db.QueryRow("SELECT balance FROM account WHERE id = ?", 1).Scan(&idle); err != nil {
		t.Fatal(err)
	}
	const clients = 4
	ends := make(chan error)
	for range clients {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		var was int
		if err := tx.QueryRow("SELECT balance FROM account WHERE id = ?", 1).Scan(&was); err != nil {
			t.Fatal(err)
		}
		go func() { ends <- tx.Commit() }()
	}
	time.Sleep(after)
	began := time.Now()
	stop()
	for range clients {
		if err := <-ends; err != nil {
			t.Errorf("COMMIT beside the end: %v", err)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 9*time.Second {
		t.Errorf("the server took %v to end, with nothing to wait for", took) // it gives clients ten seconds
	}
}
