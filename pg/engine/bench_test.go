package engine

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/txmc/txmc/pg/engine/pglite"
)

func BenchmarkStatement(b *testing.B) {
	for _, bench := range []struct{ name, sql string }{
		{"select1", "select 1"},
		{"point", "select bal from acct where id=7"},
		{"update", "update acct set bal=bal+1 where id=7"},
		{"error", "select * from nope"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			x, s := shop(b)
			defer s.Close()
			q := query(bench.sql)
			defer cpu(b)()
			for b.Loop() {
				if _, err := x.Exchange(q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkHooked is the same with hooks that keep the rows.
func BenchmarkHooked(b *testing.B) {
	for _, bench := range []struct{ name, sql string }{
		{"point", "select bal from acct where id=7"},
		{"sum", "select sum(bal) from acct"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			x := testInstance(b)
			x.Hook(&quick{newKeeper()})
			expect(b, x, "create table acct(id int primary key, bal int)", "CREATE TABLE")
			expect(b, x, "insert into acct select g,100*g from generate_series(1,20) g", "INSERT 0 20")
			q := query(bench.sql)
			defer cpu(b)()
			for b.Loop() {
				if _, err := x.Exchange(q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("raise", func(b *testing.B) {
		x, k := testInstance(b), newKeeper()
		x.Hook(k)
		expect(b, x, "create table acct(id int primary key, bal int)", "CREATE TABLE")
		k.raise = "40001"
		defer cpu(b)()
		for b.Loop() {
			x.Exchange(query("select bal from acct where id=7"))
		}
	})
}

// BenchmarkWarmReset is two statements and going back to a snapshot: one in which the server's caches are cold, one
// after Warmed, and one after the same statements.
func BenchmarkWarmReset(b *testing.B) {
	q := query("begin; select bal from acct where id=7; update acct set bal=bal+1 where id=8; rollback")
	measure := func(name string, start func(x *Instance, s *Snapshot) (*Snapshot, *Instance, error)) {
		b.Run(name, func(b *testing.B) {
			x, old := shop(b)
			defer old.Close()
			s, x, err := start(x, old)
			if err != nil {
				b.Fatal(err)
			}
			defer cpu(b)()
			for b.Loop() {
				x.Exchange(q)
				x.Reset(s)
			}
		})
	}
	measure("cold", func(x *Instance, s *Snapshot) (*Snapshot, *Instance, error) { return s, x, nil })
	measure("warm", func(_ *Instance, s *Snapshot) (*Snapshot, *Instance, error) {
		return s.Warmed([]string{"select bal from acct where id=7", "update acct set bal=bal+1 where id=8"})
	})
	measure("same", func(x *Instance, _ *Snapshot) (*Snapshot, *Instance, error) {
		_, _ = x.Exchange(q)
		s, err := x.Snapshot()
		return s, x, err
	})
}

// quick is a keeper that writes no log.
type quick struct{ *keeper }

func (*quick) Scan(*Call, Scan) {}

func (q *quick) Visible(_ *Call, v Version, _ View) bool {
	x := q.versions[q.key(v.Table, v.TID)]
	return x != nil && !x.gone
}

// BenchmarkOpen is what a process pays before its first statement, with all in the cache.
func BenchmarkOpen(b *testing.B) {
	testEngine(b)
	defer cpu(b)()
	for b.Loop() {
		e, err := Open(context.Background(), Options{})
		if err != nil {
			b.Fatal(err)
		}
		x, err := e.Instance()
		if err != nil {
			b.Fatal(err)
		}
		x.Exchange(query("select 1"))
		x.Close()
		e.Close()
	}
}

// BenchmarkOpenCold is the first start on a machine that has the package: compiling, and making a data directory.
func BenchmarkOpenCold(b *testing.B) {
	testEngine(b)
	o, err := pglite.DefaultOptions()
	if err != nil {
		b.Fatal(err)
	}
	name := "pglite-" + pglite.Version
	defer cpu(b)()
	for b.Loop() {
		dir := b.TempDir()
		if err := os.Symlink(filepath.Join(o.CacheDir, name), filepath.Join(dir, name)); err != nil {
			b.Skip(err)
		}
		e, err := Open(context.Background(), Options{CacheDir: dir})
		if err != nil {
			b.Fatal(err)
		}
		e.Close()
	}
}

// BenchmarkReset is going back after a transaction, and the same with the transaction.
func BenchmarkReset(b *testing.B) {
	x, s := shop(b)
	defer s.Close()
	q := query("begin; update acct set bal=bal+1 where id=7; insert into acct(owner) values ('x'); commit")
	b.Run("reset", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			x.Exchange(q)
			b.StartTimer()
			if err := x.Reset(s); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("transaction", func(b *testing.B) {
		defer cpu(b)()
		for b.Loop() {
			x.Exchange(q)
		}
	})
	b.Run("transaction+reset", func(b *testing.B) {
		defer cpu(b)()
		for b.Loop() {
			x.Exchange(q)
			x.Reset(s)
		}
	})
	b.Run("select+reset", func(b *testing.B) {
		q := query("select bal from acct where id=7")
		defer cpu(b)()
		for b.Loop() {
			x.Exchange(q)
			x.Reset(s)
		}
	})
}

func BenchmarkInstanceFrom(b *testing.B) {
	x, s := shop(b)
	defer s.Close()
	before := resident()
	var all []*Instance
	defer cpu(b)()
	for b.Loop() {
		y, err := x.engine.InstanceFrom(s)
		if err != nil {
			b.Fatal(err)
		}
		y.Exchange(query("select bal from acct where id=7"))
		all = append(all, y)
	}
	b.ReportMetric(float64(resident()-before)/float64(len(all)), "B/instance")
	for _, y := range all {
		y.Close()
	}
}

// cpu reports the processor time of an operation since it was called: other work on the machine does not count.
func cpu(b *testing.B) func() {
	before := processTime()
	return func() {
		b.ReportMetric(float64(processTime()-before)/float64(b.N), "cpu-ns/op")
	}
}

// resident is the memory of this process in bytes, where the system tells.
func resident() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	return n * int64(os.Getpagesize())
}
