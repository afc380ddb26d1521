//go:build unix

package mysql_test

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/mysql/testdata/stock"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/load"
)

// What a program in SQL for MySQL costs before its first statement: how long its harness is
// built, how large it is, how long a database starts, and the memory that it takes.

// TestHarnessFigures prints what harnesses cost with this module and without it. It takes minutes:
// a harness is built with nothing in the cache.
func TestHarnessFigures(t *testing.T) {
	if !*figures {
		t.Skip("-figures prints them")
	}
	fmt.Println("| harness of | nothing in the cache | everything in it | size |\n|---|--:|--:|--:|")
	showHarness(t, ".", "./testdata/stock")
	showHarness(t, "..", "./testdata/bank")
	fmt.Println("| what | median | least to most |\n|---|--:|--:|")
	sqltest.Figure("start: engine, schema and seed", "ms of processor time", func() float64 {
		before := sqltest.Spent(syscall.RUSAGE_SELF)
		prepare(t)
		return (sqltest.Spent(syscall.RUSAGE_SELF) - before).Seconds() * 1000
	})
	sqltest.Figure("memory of a database, with its schema and seed", "KB", func() float64 { return retained(func() any { return prepare(t) }) })
	sqltest.Figure("memory of stock.ExploreBuy, explored", "KB", func() float64 {
		return retained(func() any {
			c := sqltest.NewClient(t, stock.ExploreBuy, program.Options{})
			sqltest.Once(t, c, isolation.SER, 0)
			return c
		})
	})
}

// showHarness prints a line of a package's harness.
func showHarness(t *testing.T, dir, pkg string) {
	t.Helper()
	t.Setenv("GOCACHE", t.TempDir())
	var spent [2]float64
	size := int64(0)
	for i := range spent {
		before := sqltest.Spent(syscall.RUSAGE_CHILDREN)
		loaded, err := load.Load(t.Context(), load.Config{Dir: dir, Patterns: []string{pkg}, Temp: t.TempDir(), Determinism: true})
		if err != nil {
			t.Fatal(err)
		}
		h, err := loaded.Packages[0].Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		spent[i] = (sqltest.Spent(syscall.RUSAGE_CHILDREN) - before).Seconds()
		file, err := os.Stat(h.Binary)
		if err != nil {
			t.Fatal(err)
		}
		size = file.Size()
	}
	fmt.Printf("| %s | %.1f s | %.1f s | %.1f MB |\n", pkg, spent[0], spent[1], float64(size)/1e6)
}

// prepare is a client of a database with a table and two rows.
func prepare(t *testing.T) *program.Client {
	return sqltest.NewClient(t, func(p *program.Program) {
		mysql.New(p, mysql.Schema(bankSchema), mysql.Seed(bankSeed))
		p.Session("s", func(*program.Session) {})
	}, program.Options{})
}

// retained is the memory, in KB, of what a function returns: the mean of ten.
func retained(f func() any) float64 {
	const many = 10
	f() // what all of them share
	before := live()
	list := make([]any, many)
	for i := range list {
		list[i] = f()
	}
	after := live()
	runtime.KeepAlive(list)
	return (after - before) / many / 1e3
}

// live is the memory that is in use.
func live() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
