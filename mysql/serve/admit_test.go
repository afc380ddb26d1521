package serve_test

import (
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/server/mock"
)

// number is MySQL's number of an error, 0 where there is none.
func number(err error) int {
	var e *driver.MySQLError
	if errors.As(err, &e) {
		return int(e.Number)
	}
	if err != nil {
		return -1
	}
	return 0
}

func open(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxIdleConns(100)
	return db
}

// Who does not know the password is not served, whoever he says to be.
func TestPassword(t *testing.T) {
	s, address := start(t, mock.Options{Level: isolation.SER})
	if err := s.Admit(mock.Admission{Password: "open sesame"}); err != nil {
		t.Fatal(err)
	}
	for who, want := range map[string]int{"root": 1045, "root:wrong": 1045, "root:open sesame": 0, "ann:open sesame": 0} {
		if got := number(open(t, who+"@tcp("+address+")/app").Ping()); got != want {
			t.Errorf("%s gets %d, want %d", who, got, want)
		}
	}
}

// There are limits of connections, of messages, and of the time of a statement, also of one
// that waits for a lock. Who has met one is told its number, and others are served.
func TestLimits(t *testing.T) {
	s, address := start(t, mock.Options{Level: isolation.SER})
	if err := s.Admit(mock.Admission{Connections: 2, MessageBytes: 10_000, Statement: time.Second}); err != nil {
		t.Fatal(err)
	}
	db := open(t, "root@tcp("+address+")/app?maxAllowedPacket=1000000")
	var conns []*sql.Conn
	for range 2 {
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		conns = append(conns, c)
	}
	if _, err := db.Conn(t.Context()); number(err) != 1040 {
		t.Errorf("the third connection: %v, want 1040", err)
	}
	tx, err := conns[0].BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("UPDATE account SET balance = 1 WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	if _, err := conns[1].ExecContext(t.Context(), "UPDATE account SET balance = 2 WHERE id = 1"); number(err) != 3024 {
		t.Errorf("a statement that waits: %v, want 3024", err)
	}
	if err := tx.Commit(); err != nil {
		t.Error(err)
	}
	if _, err := conns[1].ExecContext(t.Context(), "UPDATE account SET balance = 3 WHERE id = 1"); number(err) != 0 && number(err) != 1213 {
		t.Errorf("the next statement: %v", err)
	}
	if _, err := conns[1].ExecContext(t.Context(), "SELECT '"+strings.Repeat("x", 20_000)+"'"); err == nil {
		t.Error("a message of 20,000 bytes is served")
	}
	var balance int
	if err := conns[0].QueryRowContext(t.Context(), "SELECT balance FROM account WHERE id = 2").Scan(&balance); err != nil || balance != 100 {
		t.Errorf("the other connection: %d, %v", balance, err)
	}
}

// Clients that say nothing, half a packet or nonsense hold nobody up.
func TestHostile(t *testing.T) {
	_, address := start(t, mock.Options{Level: isolation.SER})
	for _, said := range []string{"", "\x05", "\x05\x00\x00", "\x05\x00\x00\x01ab", "\xff\xff\xff\x01", "\x00\x00\x00\x01", "\x20\x00\x00\x01" + strings.Repeat("\xff", 32)} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte(said)); err != nil {
			t.Error(err)
		}
	}
	if err := open(t, "root@tcp("+address+")/app").Ping(); err != nil {
		t.Error(err)
	}
}

// Rows that come and go are forgotten.
func TestForgets(t *testing.T) {
	s, address := start(t, mock.Options{Level: isolation.CC, Window: 2, Latest: 1})
	db := open(t, "root@tcp("+address+")/app")
	db.SetMaxOpenConns(1)
	for n := range 200 {
		for _, text := range []string{fmt.Sprintf("INSERT INTO account VALUES (%d, 1)", 1000+n), fmt.Sprintf("DELETE FROM account WHERE id = %d", 999+n)} {
			if _, err := db.Exec(text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := s.Known(); n > 150 {
		t.Errorf("%d rows are known of a table of three", n)
	}
}
