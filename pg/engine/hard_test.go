package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/program/deadlinetest"
)

func TestDeepRecursion(t *testing.T) {
	t.Parallel()
	x := testInstance(t)
	expect(t, x, "create function f(n int) returns int language plpgsql as $$ begin return f(n+1); end $$", "CREATE FUNCTION")
	for range 2 {
		if got := ask(t, x, "select f(1)"); !strings.HasPrefix(got, "ERROR 54001: stack depth limit exceeded") {
			t.Errorf("endless recursion: %.200s", got)
		}
	}
	deep := "select " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000)
	if got := ask(t, x, deep); got != "(1) SELECT 1" && !strings.HasPrefix(got, "ERROR 54001") {
		t.Errorf("deep expression: %.200s", got)
	}
	expect(t, x, "select 1", "(1) SELECT 1")
}

func TestLargeValues(t *testing.T) {
	t.Parallel()
	x, s := shop(t)
	defer s.Close()
	defer func() {
		if err := x.Reset(s); err != nil {
			t.Fatal(err)
		}
		expect(t, x, "select count(*) from acct", "(20) SELECT 1")
	}()
	expect(t, x, "create table big(v text)", "CREATE TABLE")
	size := deadlinetest.Of(100, 10) << 20
	b, err := x.Exchange(query("insert into big values ('" + strings.Repeat("y", size) + "')"))
	if err != nil || show(b) != "INSERT 0 1" {
		t.Errorf("%.200s, %v", show(b), err)
	}
	expect(t, x, "select length(v) from big", fmt.Sprintf("(%d) SELECT 1", size))
	if got := ask(t, x, "select repeat('x', 1073741824)"); !strings.HasPrefix(got, "ERROR 54000") && !strings.HasPrefix(got, "ERROR XX000") {
		t.Errorf("more than a gigabyte: %.200s", got)
	}
	deadlinetest.Long(t) // the rest takes two gigabytes of memory
	if got := ask(t, x, "select array_agg(repeat('x', 100000000)) from generate_series(1,30)"); !strings.HasPrefix(got, "ERROR 53200") {
		t.Errorf("more than there is memory: %.200s", got)
	}
}

func TestBadMessages(t *testing.T) {
	x := testInstance(t)
	for _, in := range []string{"Q", "Q\x00\x00\x00\x00", "Q\x00\x00\x00\xffselect 1\x00", "Q\xff\xff\xff\xff", "\x00\x00\x00\x08", "\x00"} {
		if _, err := x.Exchange([]byte(in)); !errors.Is(err, ErrProtocol) {
			t.Errorf("%q: %v", in, err)
		}
		expect(t, x, "select 1", "(1) SELECT 1")
	}
	if b, err := x.Exchange([]byte("\x00\x00\x00\x08\x04\xd2\x16\x2f")); err != nil || string(b) != "N" {
		t.Errorf("request for SSL: %q, %v", b, err)
	}
}

func TestServerThatEnds(t *testing.T) {
	t.Parallel()
	x, s := shop(t)
	defer s.Close()
	_, err := x.Exchange(query("select pg_terminate_backend(pg_backend_pid())"))
	if err == nil {
		_, err = x.Exchange(query("select 1"))
	}
	if crash := new(CrashError); err != nil && !errors.As(err, &crash) {
		t.Errorf("%v", err)
	}
	if err := x.Reset(s); err != nil {
		t.Fatal(err)
	}
	expect(t, x, "select count(*) from acct", "(20) SELECT 1")
}

func TestNotificationsGoNowhere(t *testing.T) {
	x := testInstance(t)
	if got := ask(t, x, "listen jobs"); !strings.HasPrefix(got, "ERROR 0A000") || !strings.Contains(got, "LISTEN is not supported") {
		t.Error(got)
	}
	expect(t, x, "notify jobs, 'x'", "NOTIFY")
	expect(t, x, "select pg_notify('jobs','x')", "() SELECT 1")
	for _, sql := range []string{"select pg_notify('','x')", "select pg_notify(repeat('j',64),'x')", "select pg_notify('jobs',repeat('x',8000))"} {
		if got := ask(t, x, sql); !strings.HasPrefix(got, "ERROR 22023") {
			t.Errorf("%s: %s", sql, got)
		}
	}
	expect(t, x, "unlisten *", "UNLISTEN")
	expect(t, x, "discard all", "DISCARD ALL")
}

func TestNothingOfTheHostIsReachable(t *testing.T) {
	x := testInstance(t)
	for _, sql := range []string{"select pg_read_file('/etc/passwd')", "copy (select 1) to program 'id'", "create table o(a text); copy o from '/proc/self/environ'"} {
		if got := ask(t, x, sql); !strings.Contains(got, "ERROR") {
			t.Errorf("%s: %.100s", sql, got)
		}
	}
	expect(t, x, "copy (select 1) to '/tmp/out'; create table i(a int); copy i from '/tmp/out'; select * from i", "COPY 1 CREATE TABLE COPY 1 (1) SELECT 1")
	if got := ask(t, x, "select count(*) from pg_ls_dir('/') d where d in ('etc','usr','proc')"); got != "(0) SELECT 1" {
		t.Errorf("root: %s", got)
	}
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	x := testInstance(t)
	for _, name := range []string{"citext", "hstore", "pg_trgm", `"uuid-ossp"`, "unaccent", "ltree", "btree_gist", "intarray", "fuzzystrmatch", "tablefunc"} {
		expect(t, x, "create extension "+name, "CREATE EXTENSION")
	}
	expect(t, x, "select 'A'::citext = 'a', 'a=>1'::hstore->'a', similarity('word','words')>0.5, uuid_nil(), unaccent('é')",
		"(t,1,t,00000000-0000-0000-0000-000000000000,e) SELECT 1")
	expect(t, x, "select to_tsvector('english','The cats ran')", "('cat':2 'ran':3) SELECT 1")
}
