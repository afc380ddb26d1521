package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/txmc/txmc/pg/engine/pglite"
)

var shared = sync.OnceValues(func() (*Engine, error) {
	return Open(context.Background(), Options{Progress: os.Stderr})
})

// testEngine is an engine for all tests. A test is skipped where the package cannot be had.
func testEngine(t testing.TB) *Engine {
	t.Helper()
	e, err := shared()
	if missing := new(pglite.MissingError); errors.As(err, &missing) {
		t.Skipf("no PostgreSQL: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func testInstance(t testing.TB) *Instance {
	t.Helper()
	x, err := testEngine(t).Instance()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func message(kind byte, body string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4)), body...)
}

func query(sql string) []byte { return message('Q', sql+"\x00") }

// show is a reply as text: rows in parentheses, command tags, errors with their code.
func show(b []byte) string {
	var out []string
	for len(b) >= 5 {
		n := int(binary.BigEndian.Uint32(b[1:])) + 1
		body := b[5:n]
		switch b[0] {
		case 'D':
			out = append(out, showRow(body))
		case 'C':
			out = append(out, string(body[:len(body)-1]))
		case 'E':
			out = append(out, showError(body))
		case 'G':
			out = append(out, "COPY IN")
		}
		b = b[n:]
	}
	return strings.Join(out, " ")
}

func showRow(b []byte) string {
	var vals []string
	n := int(binary.BigEndian.Uint16(b))
	b = b[2:]
	for range n {
		size := int32(binary.BigEndian.Uint32(b))
		b = b[4:]
		if size < 0 {
			vals = append(vals, "NULL")
			continue
		}
		vals = append(vals, string(b[:size]))
		b = b[size:]
	}
	return "(" + strings.Join(vals, ",") + ")"
}

func showError(b []byte) string {
	code, text := "", ""
	for _, f := range strings.Split(string(b), "\x00") {
		if strings.HasPrefix(f, "C") {
			code = f[1:]
		}
		if strings.HasPrefix(f, "M") {
			text = f[1:]
		}
	}
	return "ERROR " + code + ": " + text
}

// ask runs a query and gives the reply as text.
func ask(t testing.TB, x *Instance, sql string) string {
	t.Helper()
	b, err := x.Exchange(query(sql))
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return show(b)
}

func expect(t testing.TB, x *Instance, sql, want string) {
	t.Helper()
	if got := ask(t, x, sql); got != want {
		t.Errorf("%s\n got %s\nwant %s", sql, got, want)
	}
}

func TestQueries(t *testing.T) {
	t.Parallel()
	x := testInstance(t)
	if v := ask(t, x, "select version()"); !strings.HasPrefix(v, "(PostgreSQL 18") {
		t.Errorf("version is %s", v)
	}
	expect(t, x, "select * from nope", `ERROR 42P01: relation "nope" does not exist`)
	expect(t, x, "create table t(id int primary key, s text)", "CREATE TABLE")
	expect(t, x, "insert into t values (1,'a'),(2,null)", "INSERT 0 2")
	expect(t, x, "select * from t order by id", "(1,a) (2,NULL) SELECT 2")
	expect(t, x, "insert into t values (1,'b')", `ERROR 23505: duplicate key value violates unique constraint "t_pkey"`)
	expect(t, x, "select 1; select 2", "(1) SELECT 1 (2) SELECT 1")
	expect(t, x, "begin; update t set s='c' where id=2; rollback", "BEGIN UPDATE 1 ROLLBACK")
	expect(t, x, "select s from t where id=2", "(NULL) SELECT 1")
}

func startup() []byte {
	body := "\x00\x03\x00\x00user\x00postgres\x00database\x00postgres\x00application_name\x00te'st\x00options\x00-c lock_timeout=7s --datestyle=SQL,\\ DMY\x00\x00"
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4)), body...)
}

func TestConnections(t *testing.T) {
	x := testInstance(t)
	for range 2 {
		b, err := x.Exchange(startup())
		if err != nil || len(b) < 20 || b[0] != 'R' || b[len(b)-6] != 'Z' {
			t.Fatalf("startup: %q, %v", b, err)
		}
		expect(t, x, "show application_name", "(te'st) SHOW")
		expect(t, x, "show lock_timeout", "(7s) SHOW")
		expect(t, x, "show datestyle", "(SQL, DMY) SHOW")
		b, err = x.Exchange(append(query("set lock_timeout='1s'"), message('X', "")...))
		if err != nil || show(b) != "SET" {
			t.Fatalf("terminate: %q, %v", b, err)
		}
	}
	expect(t, x, "begin; set application_name='mine'", "BEGIN SET")
	if b, err := x.Exchange(startup()); err != nil || b[len(b)-6] != 'Z' {
		t.Errorf("a second connection in a transaction: %q, %v", b, err)
	}
	expect(t, x, "show application_name; commit", "(mine) SHOW COMMIT")
	bad := bytes.Replace(startup(), []byte("7s --"), []byte("7x --"), 1)
	if b, err := x.Exchange(bad); err != nil || !strings.HasPrefix(show(b), "ERROR 22023") || bytes.Contains(b, []byte("Z\x00\x00\x00\x05I")) {
		t.Errorf("a bad setting: %q, %v", b, err)
	}
	expect(t, x, "show search_path", `("$user", public) SHOW`)
	expect(t, x, "select to_tsvector('the cats')", "('cat':2) SELECT 1")
	if got := ask(t, x, "create table pg_catalog.x(a int)"); !strings.HasPrefix(got, "ERROR 42501") {
		t.Errorf("a table in the catalog: %s", got)
	}
}

func TestExtendedProtocol(t *testing.T) {
	x := testInstance(t)
	expect(t, x, "create table t(id int primary key, s text)", "CREATE TABLE")
	parse := message('P', "ins\x00insert into t values ($1,$2)\x00\x00\x00")
	bind := func(id, s string) []byte {
		b := "\x00ins\x00\x00\x00\x00\x02"
		for _, v := range []string{id, s} {
			b += string(binary.BigEndian.AppendUint32(nil, uint32(len(v)))) + v
		}
		return append(message('B', b+"\x00\x00"), message('E', "\x00\x00\x00\x00\x00")...)
	}
	batch := append(parse, bind("1", "a")...)
	batch = append(append(batch, bind("2", "b")...), message('S', "")...)
	b, err := x.Exchange(batch)
	if got := show(b); err != nil || got != "INSERT 0 1 INSERT 0 1" || b[len(b)-6] != 'Z' {
		t.Errorf("batch: %s, %v", got, err)
	}
	// An error skips what comes up to Sync.
	batch = append(append(bind("1", "c"), bind("3", "d")...), message('S', "")...)
	b, err = x.Exchange(batch)
	if got := show(b); err != nil || got != `ERROR 23505: duplicate key value violates unique constraint "t_pkey"` {
		t.Errorf("batch with an error: %s, %v", got, err)
	}
	expect(t, x, "select count(*) from t", "(2) SELECT 1")
	// Flush gives what there is without ending the batch.
	b, err = x.Exchange(append(bind("4", "e"), message('H', "")...))
	if got := show(b); err != nil || got != "INSERT 0 1" || b[len(b)-6] == 'Z' {
		t.Errorf("flush: %s, %v", got, err)
	}
	b, err = x.Exchange(message('S', ""))
	if err != nil || len(b) != 6 || b[0] != 'Z' {
		t.Errorf("sync: %q, %v", b, err)
	}
}

// The tests of the storage have this flag; here it has no effect, so that it can be
// given for all packages at once.
var _ = flag.String("corpus", "", "directory of recorded statements: see the package storage")
