package engine

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/txmc/txmc/program/deadlinetest"
)

// shop is an instance with a schema, and a snapshot of it.
func shop(t testing.TB) (*Instance, *Snapshot) {
	t.Helper()
	x := testInstance(t)
	expect(t, x, "create table acct(id bigserial primary key, owner text unique, bal int not null default 0)", "CREATE TABLE")
	expect(t, x, "insert into acct(owner,bal) select 'o'||g,100*g from generate_series(1,20) g", "INSERT 0 20")
	expect(t, x, `create function bump() returns trigger language plpgsql as $$ begin new.bal=new.bal+1; return new; end $$;
		create trigger bump before insert on acct for each row execute function bump()`, "CREATE FUNCTION CREATE TRIGGER")
	expect(t, x, "create extension pgcrypto", "CREATE EXTENSION")
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return x, s
}

var work = []string{
	"insert into acct(owner,bal) values ('new',7) returning id,bal,xmin,ctid",
	"update acct set bal=bal+1 where id<4 returning *,xmin,ctid",
	"insert into acct(owner) values ('new')",
	"select random(), gen_random_uuid(), txid_current(), now(), clock_timestamp(), pg_backend_pid()",
	"select encode(digest('x','sha256'),'hex'), encode(gen_random_bytes(8),'hex')",
	"create temp table tt(a int); insert into tt values (1); select * from tt",
	"select pg_sleep(3600), clock_timestamp()",
	"select sum(length(repeat('x',g*1000))) from generate_series(1,100) g",
}

func run(t testing.TB, x *Instance) []byte {
	var out []byte
	for _, s := range work {
		b, err := x.Exchange(query(s))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b...)
	}
	return out
}

func TestResetIsByteIdentical(t *testing.T) {
	t.Parallel()
	x, s := shop(t)
	defer s.Close()
	before := bytes.Clone(x.proc.Bytes(0, x.proc.MemorySize()))
	first := run(t, x)
	if strings.Contains(show(first), "ERROR 5") {
		t.Errorf("work failed: %s", show(first))
	}
	for i := range deadlinetest.Of(3, 1) {
		if err := x.Reset(s); err != nil {
			t.Fatal(err)
		}
		after := x.proc.Bytes(0, x.proc.MemorySize())
		if !bytes.Equal(before, after[:len(before)]) {
			t.Fatalf("round %d: memory differs", i)
		}
		if again := run(t, x); !bytes.Equal(first, again) {
			t.Fatalf("round %d:\n got %s\nwant %s", i, show(again), show(first))
		}
	}
	y, err := x.engine.InstanceFrom(s)
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	if again := run(t, y); !bytes.Equal(first, again) {
		t.Errorf("another instance:\n got %s\nwant %s", show(again), show(first))
	}
}

func TestWarmChangesNoAnswer(t *testing.T) {
	t.Parallel()
	x, s := shop(t)
	defer s.Close()
	expect(t, x, `create table "odd ""name"(a int, "sel ect" text generated always as ('x') stored, primary key (a, "sel ect"))`, "CREATE TABLE")
	cold, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer cold.Close()
	want := run(t, x)
	warm, y, err := cold.Warmed([]string{"select * from acct where id = $1", "begin", "nonsense",
		"select 1; drop table acct", `insert into "odd ""name" values (1)`, "create table other(a int)", "select nextval('acct_id_seq')"})
	if err != nil {
		t.Fatal(err)
	}
	defer warm.Close()
	defer y.Close()
	if got := run(t, y); !bytes.Equal(got, want) {
		t.Errorf("got %s\nwant %s", show(got), show(want))
	}
}

func TestSeedAndTime(t *testing.T) {
	t.Parallel()
	x, s := shop(t)
	defer s.Close()
	const sql = "select gen_random_uuid(), random()"
	seen := map[string]bool{}
	for seed := range uint64(3) {
		if err := x.Reset(s); err != nil {
			t.Fatal(err)
		}
		x.Seed(seed)
		seen[ask(t, x, sql)] = true
	}
	if len(seen) != 3 {
		t.Errorf("3 seeds gave %d answers: %v", len(seen), seen)
	}
	x.SetTime(time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC))
	expect(t, x, "select date_trunc('second', now())", "(2031-02-03 04:05:06+00) SELECT 1")
}

func TestInstancesAtTheSameTime(t *testing.T) {
	t.Parallel()
	x, s := shop(t)
	defer s.Close()
	want := run(t, x)
	pool := NewPool(s)
	defer pool.Close()
	var wg sync.WaitGroup
	errs := make(chan error, 8)
	for range deadlinetest.Of(4, 2) {
		wg.Go(func() {
			for range deadlinetest.Of(3, 2) { // the second time they are used again
				y, err := pool.Get()
				if err != nil {
					errs <- err
					return
				}
				if got := run(t, y); !bytes.Equal(got, want) {
					errs <- fmt.Errorf("got %s", show(got))
				}
				if err := pool.Put(y); err != nil {
					errs <- err
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	x := testInstance(t)
	for _, sql := range []string{
		"with recursive r(n) as (select 1 union all select n+1 from r) select count(*) from r",
		"do $$ begin loop null; end loop; end $$",
		"do $$ begin loop end loop; end $$",
	} {
		go func() {
			for range 3 { // the collector waits for all goroutines, also for one in compiled code
				runtime.GC()
			}
		}()
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		stop := context.AfterFunc(ctx, x.Cancel)
		b, err := x.Exchange(query(sql))
		stop()
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := show(b), "ERROR 57014: canceling statement due to user request"; got != want {
			t.Errorf("%s\n got %s\nwant %s", sql, got, want)
		}
		expect(t, x, "select 1", "(1) SELECT 1")
	}
	x.Cancel()
	expect(t, x, "select 2", "(2) SELECT 1")
}

func TestCopyFromStdin(t *testing.T) {
	x := testInstance(t)
	expect(t, x, "create table c(a int, b text)", "CREATE TABLE")
	b, err := x.Exchange(query("copy c from stdin"))
	if err != nil || !x.Hungry() || show(b) != "COPY IN" {
		t.Fatalf("%s, hungry %v, %v", show(b), x.Hungry(), err)
	}
	for _, m := range [][]byte{message('d', "1\tone\n2\tt"), message('d', "wo\n")} {
		if b, err := x.Exchange(m); err != nil || len(b) > 0 || !x.Hungry() {
			t.Fatalf("%q, hungry %v, %v", b, x.Hungry(), err)
		}
	}
	b, err = x.Exchange(message('c', ""))
	if err != nil || x.Hungry() || show(b) != "COPY 2" {
		t.Fatalf("%s, hungry %v, %v", show(b), x.Hungry(), err)
	}
	expect(t, x, "select * from c order by a", "(1,one) (2,two) SELECT 2")
	expect(t, x, "copy c to stdout", "COPY 2")
	if _, err := x.Exchange(query("copy c from stdin")); err != nil {
		t.Fatal(err)
	}
	b, err = x.Exchange(message('f', "no more\x00"))
	if err != nil || !strings.Contains(show(b), "57014") {
		t.Errorf("%s, %v", show(b), err)
	}
	expect(t, x, "select count(*) from c", "(2) SELECT 1")
}

func TestSuspendedCopyIsAbandoned(t *testing.T) {
	t.Parallel()
	x, s := shop(t)
	defer s.Close()
	if _, err := x.Exchange(query("copy acct from stdin")); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Snapshot(); err != ErrBusy {
		t.Errorf("snapshot of a busy instance: %v", err)
	}
	if err := x.Reset(s); err != nil {
		t.Fatal(err)
	}
	expect(t, x, "select count(*) from acct", "(20) SELECT 1")
}
