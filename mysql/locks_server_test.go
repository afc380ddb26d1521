package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/isolation/innodb"
	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/mysql/engine"
	"github.com/txmc/txmc/mysql/storage"
	"github.com/txmc/txmc/mysql/wire"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/rows"
)

// The locks of a transaction after each of its statements: those of the model, and those that
// a MariaDB server lists (SHOW ENGINE INNODB STATUS). What is compared is what the locks cover:
// of each record, the record and the gap before it. A server does not list the locks that
// rows have by being written.

// covered is what locks cover: letters by records, and by tables.
type covered map[string]string

func (c covered) String() string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(c)) {
		list = append(list, key+" "+c[key])
	}
	return strings.Join(list, ", ")
}

// conversation is connections to a database, of which the first one is looked at.
type conversation interface {
	// send sends a statement and returns the number of its error, or what it counts.
	send(ctx context.Context, session int, q string) (string, error)
	// covered lists the first session's locks, and the records that it has written.
	covered(ctx context.Context) (c covered, written map[string]bool, err error)
}

// sent is a statement's result on a connection.
func sent(ctx context.Context, c *sql.Conn, q string) (string, error) {
	result, err := answered(ctx, c, q)
	var failed *driver.MySQLError
	if errors.As(err, &failed) {
		return fmt.Sprint("error ", failed.Number), nil
	}
	return result, err
}

func answered(ctx context.Context, c *sql.Conn, q string) (string, error) {
	if !strings.HasPrefix(q, "SELECT") && !strings.HasPrefix(q, "WITH") && !strings.HasPrefix(q, "(") {
		done, err := c.ExecContext(ctx, q)
		if err != nil {
			return "", err
		}
		n, err := done.RowsAffected()
		return fmt.Sprint(n), err
	}
	rows, err := c.QueryContext(ctx, q)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	return fmt.Sprint(n), rows.Err()
}

// onModel is the model: sessions that ask its storage, without an exploration.
type onModel struct {
	base  *base
	store *innodb.Rows
	conns []*sql.Conn
	ends  []func()
}

// end closes the connections.
func (m *onModel) end() {
	for _, end := range m.ends {
		end()
	}
}

func newOnModel(t *testing.T, b *base, sessions int) *onModel {
	t.Helper()
	store, err := innodb.NewStorage(sessions, b.storage, innodb.Options{MySQL: b.storage.Product.IsMySQL()})
	if err != nil {
		t.Fatal(err)
	}
	m := &onModel{base: b, store: store}
	for i := range sessions {
		run := engine.NewRun(storage.NewRun(fmt.Sprint("s", i), i, rows.NewMemory().Log()), uint64(i), true)
		run.Ask(b.catalog.NewSession(&asked{store: store, session: i}), b.level)
		hub := wire.NewHub(b.engine, run, &scripted{})
		db := sql.OpenDB(connector(hub.Dial))
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m.ends = append(m.ends, func() { conn.Close(); db.Close(); hub.Close() }) // a driver's goroutine lives as long as its connection
		m.conns = append(m.conns, conn)
	}
	return m
}

// asked is the log of a session whose requests are answered at once.
type asked struct {
	store   *innodb.Rows
	session int
	open    bool
}

func (a *asked) Open() bool { return a.open }

func (a *asked) Begin() error {
	a.open = true
	return nil
}

func (a *asked) Ask(q *access.Request, _ bool) (access.Answer, error) {
	reply := a.store.Serve(a.session, q)
	if a.store.Blocked(a.session) {
		return access.Answer{}, errors.New("a statement that is alone waits")
	}
	return reply.Found, a.store.Check()
}

func (a *asked) Joins(bool) {}

func (a *asked) Commit() error {
	a.store.Commit(a.session)
	a.open = false
	return nil
}

func (a *asked) Abort(string) error {
	a.store.Rollback(a.session)
	a.open = false
	return nil
}

func (a *asked) Refuse(message string) error { return errors.New(message) }

func (m *onModel) send(ctx context.Context, session int, q string) (string, error) {
	return sent(ctx, m.conns[session], q)
}

func (m *onModel) covered(context.Context) (covered, map[string]bool, error) {
	c, written := covered{}, map[string]bool{}
	shared, exclusive := m.store.HeldTables(0)
	for _, i := range shared {
		c[m.base.catalog.Table(i).Name] = "IS"
	}
	for _, i := range exclusive {
		c[m.base.catalog.Table(i).Name] += "IX"
	}
	for _, h := range m.store.Held(0) {
		table := m.base.catalog.Table(h.Table)
		x := table.Indexes[h.Index]
		place := table.Name + "." + nameOf(x.Name) + keyText(h.Key, func(i int) (any, bool) { return table.Value(x, i, h.Key[i]) })
		letters := [...]string{"-", "S", "X"}
		if c[place] = letters[h.Record] + letters[h.Gap]; h.Record+h.Gap == 0 {
			delete(c, place)
		}
		if h.Implicit {
			written[place] = true
		}
	}
	return c, written, nil
}

func nameOf(index string) string {
	if strings.EqualFold(index, "primary") || index == "" {
		return "PRIMARY"
	}
	return index
}

// keyText is a key. value is the value that a number stands for, if it is a label.
func keyText(key []int, value func(int) (any, bool)) string {
	if key == nil {
		return "(end)"
	}
	var list []string
	for i, n := range key {
		switch v, labelled := value(i); {
		case labelled:
			list = append(list, fmt.Sprint(v))
		case n == access.Null:
			list = append(list, "NULL")
		default:
			list = append(list, strconv.Itoa(n))
		}
	}
	return "(" + strings.Join(list, ",") + ")"
}

// onServer is a MariaDB: the sessions' connections, and one that looks.
type onServer struct {
	monitor *sql.Conn
	keeper  *sql.Conn
	conns   []*sql.Conn
	id      int            // of the first session
	columns map[string]int // of primary keys, by tables

	secondary bool // the table t has an index k
}

func newOnServer(t *testing.T, dsn string, sessions int) *onServer {
	t.Helper()
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	conns := make([]*sql.Conn, sessions+2)
	for i := range conns {
		if conns[i], err = db.Conn(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, q := range []string{"CREATE DATABASE IF NOT EXISTS test", "USE test"} {
			if _, err := conns[i].ExecContext(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := &onServer{monitor: conns[0], keeper: conns[1], conns: conns[2:]}
	if _, err := s.conns[1].ExecContext(t.Context(), "SET innodb_lock_wait_timeout = 0"); err != nil { // EXPLAIN may lock
		t.Fatal(err)
	}
	if _, err := s.monitor.ExecContext(t.Context(), "SET GLOBAL innodb_status_output_locks = ON"); err != nil {
		t.Fatal(err)
	}
	if err := s.conns[0].QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&s.id); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *onServer) send(ctx context.Context, session int, q string) (string, error) {
	return sent(ctx, s.conns[session], q)
}

// anew makes the tables anew. From then on nothing is purged.
func (s *onServer) anew(ctx context.Context, p *lockTables, level string) error {
	s.columns, s.secondary = p.primary, strings.Contains(p.schema[0], "KEY k (")
	list := [][]string{{"ROLLBACK"}, slices.Concat([]string{"DROP TABLE IF EXISTS " + strings.Join(slices.Sorted(maps.Keys(p.primary)), ", ")}, p.schema, p.rows), {"START TRANSACTION WITH CONSISTENT SNAPSHOT"}, mariadb.SetLevel(level)}
	for i, c := range []*sql.Conn{s.keeper, s.monitor, s.keeper, s.conns[0]} {
		for _, q := range list[i] {
			if _, err := c.ExecContext(ctx, q); err != nil {
				return fmt.Errorf("%s: %w", q, err)
			}
		}
	}
	return nil
}

// planned reports whether the server's plan is one that the model has too. A DELETE cannot
// name an index: then the plan has to use one.
func (s *onServer) planned(ctx context.Context, q string) (bool, error) {
	if !strings.HasPrefix(q, "DELETE FROM t WHERE") || !s.secondary {
		return true, nil
	}
	if strings.Contains(q, "(a = 2 OR a = 6)") {
		return false, nil // costs decide between k and the primary key
	}
	plan, err := s.explain(ctx, q)
	return strings.Contains(plan, "key=k ") || strings.Contains(q, "WHERE a = "), err
}

// explain is the server's plan.
func (s *onServer) explain(ctx context.Context, q string) (string, error) {
	rows, err := s.conns[1].QueryContext(ctx, "EXPLAIN "+q)
	if failed := (*driver.MySQLError)(nil); errors.As(err, &failed) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer rows.Close()
	columns := make([]sql.NullString, 10)
	to := make([]any, len(columns))
	for i := range to {
		to[i] = &columns[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("type=%s key=%s length=%s %s", columns[3].String, columns[5].String, columns[6].String, columns[9].String), rows.Err()
}

func (s *onServer) covered(ctx context.Context) (covered, map[string]bool, error) {
	var kind, name, text string
	if err := s.monitor.QueryRowContext(ctx, "SHOW ENGINE INNODB STATUS").Scan(&kind, &name, &text); err != nil {
		return nil, nil, err
	}
	_, text, _ = strings.Cut(text, "LIST OF TRANSACTIONS")
	for part := range strings.SplitSeq(text, "\n---TRANSACTION ") {
		if strings.Contains(part, fmt.Sprintf("\nMariaDB thread id %d,", s.id)) {
			part, _, _ = strings.Cut(part, "\n--------\n")
			c, err := listed(part, s.columns)
			return c, nil, err
		}
	}
	return covered{}, nil, nil // it has no transaction
}
