package serve_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"os/exec"
	"strings"
	"sync"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/mysql/serve"
	"github.com/txmc/txmc/server/mock"
)

const accounts = `CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
	INSERT INTO account VALUES (1, 100), (2, 100);`

// start serves until the test ends.
func start(t *testing.T, o mock.Options) (s *serve.Server, address string) {
	t.Helper()
	s, err := serve.NewServer(o, mysql.Schema(accounts))
	if err != nil {
		t.Fatal(err)
	}
	l, err := mock.Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s, l.Addr().String()
}

// transfer moves money as careless code does, and tries again what may be tried again.
func transfer(db *sql.DB, amount int) error {
	for {
		err := try(db, amount)
		var e *driver.MySQLError
		if errors.As(err, &e) && e.Number == 1213 {
			continue
		}
		return err
	}
}

func try(db *sql.DB, amount int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for id, change := range map[int]int{1: -amount, 2: amount} {
		var balance int
		if err := tx.QueryRow("SELECT balance FROM account WHERE id = ?", id).Scan(&balance); err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE account SET balance = ? WHERE id = ?", balance+change, id); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Clients on go-sql-driver/mysql lose money at rc, and none at ser.
func TestServe(t *testing.T) {
	lost := func(level isolation.Level, seed uint64) (is bool) {
		_, address := start(t, mock.Options{Level: level, Seed: seed})
		db, err := sql.Open("mysql", "root@tcp("+address+")/app")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var all sync.WaitGroup
		for n := range 3 {
			all.Go(func() {
				for range 3 {
					if err := transfer(db, 1+n); err != nil {
						t.Errorf("%s: %v", level, err)
					}
				}
			})
		}
		all.Wait()
		for range 20 {
			var sum int
			if err := db.QueryRow("SELECT sum(balance) FROM account").Scan(&sum); err != nil {
				t.Fatal(err)
			}
			is = is || sum != 200
		}
		return is
	}
	for seed := range uint64(2) {
		if lost(isolation.SER, seed) {
			t.Errorf("money is lost at ser, with seed %d", seed)
		}
	}
	for seed := range uint64(20) {
		if lost(isolation.RC, seed) {
			return
		}
	}
	t.Error("no money is lost at rc")
}

// Statements about databases that change nothing are done, as runners of tests send them.
func TestDatabaseThatIsThere(t *testing.T) {
	_, address := start(t, mock.Options{Level: isolation.SER})
	db := open(t, "root@tcp("+address+")/app")
	for sql, fails := range map[string]bool{
		"CREATE DATABASE IF NOT EXISTS app":   false,
		"DROP DATABASE IF EXISTS test_app":    false,
		"DROP DATABASE IF EXISTS mysql":       true,
		"CREATE DATABASE IF NOT EXISTS other": true,
		"CREATE DATABASE app":                 true,
	} {
		if _, err := db.Exec(sql); (err != nil) != fails {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// The client mysql connects.
func TestClient(t *testing.T) {
	mysql, err := exec.LookPath("mysql")
	if err != nil {
		t.Skip("there is no mysql")
	}
	_, address := start(t, mock.Options{Level: isolation.SER})
	host, port, _ := strings.Cut(address, ":")
	cmd := exec.CommandContext(t.Context(), mysql, "-h", host, "-P", port, "-u", "root", "-N", "app", "-e",
		"BEGIN; UPDATE account SET balance = balance - 7 WHERE id = 1; COMMIT; SELECT balance FROM account WHERE id = 1; SHOW TABLES")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Join(strings.Fields(string(out)), " ") != "93 account" {
		t.Errorf("%v: %s", err, out)
	}
}

// The tests of package mysql have this flag; here it has no effect, so that it can be
// given for all packages at once.
var _ = flag.String("corpus", "", "directory of recorded statements")
