//go:build unix

// The figures of bench/README.md on programs in SQL for MySQL, as those of package pg are
// measured: processor times of this process, so that other work on the machine counts little.

package mysql_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/mysql/testdata/counter"
	"github.com/txmc/txmc/mysql/testdata/hours"
	"github.com/txmc/txmc/mysql/testdata/stock"
	"github.com/txmc/txmc/program"
)

var figures = flag.Bool("figures", false, "print the figures of bench/README.md on programs in SQL")

// repeats is how often each figure is measured.
const repeats = 7

func TestFigures(t *testing.T) {
	if !*figures {
		t.Skip("-figures prints them")
	}
	fmt.Println("| what | median | least to most |\n|---|--:|--:|")
	for _, text := range []string{"SELECT 1", "SELECT bal FROM acct WHERE id = 1", "UPDATE acct SET bal = bal + 1 WHERE id = 1", "SELECT * FROM nothing"} {
		showStatement(t, text)
	}
	showCommand(t)
	showBehaviours(t)
	for name, f := range map[string]func(*program.Program){"counter.ExploreVisit": counter.ExploreVisit, "hours.ExploreNewHour": hours.ExploreNewHour, "stock.ExploreBuy": stock.ExploreBuy} {
		showAgain(t, name, sqltest.NewClient(t, f, program.Options{}), 0)
	}
}

// show measures something several times and prints a line of the table.
func show(what, unit string, measure func() float64) {
	list := make([]float64, repeats)
	for i := range list {
		list[i] = measure()
	}
	slices.Sort(list)
	fmt.Printf("| %s | %.3g %s | %.3g to %.3g |\n", what, list[repeats/2], unit, list[0], list[repeats-1])
}

// spent is the processor time of this process, or of its children that have ended.
func spent(who int) time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(who, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// explored explores a program without a model of a database, all its histories or so many.
func explored(t *testing.T, c *program.Client, most int64) dpor.Stats {
	t.Helper()
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.CC, Base: isolation.CC, All: true, Workers: 1, MaxHistories: most})
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	return x.Stats()
}

const (
	bankSchema = "CREATE TABLE acct (id int PRIMARY KEY, owner varchar(20) UNIQUE, bal int NOT NULL CHECK (bal >= 0))"
	bankSeed   = "INSERT INTO acct VALUES (1, 'ann', 100), (2, 'bob', 0)"
)

// showStatement shows what a statement of a session costs, of the first ones on a row.
func showStatement(t *testing.T, text string) {
	const runs = 20
	var all time.Duration
	c := sqltest.NewClient(t, func(p *program.Program) {
		db := mysql.New(p, mysql.Schema(bankSchema), mysql.Seed(bankSeed))
		p.Session("s", func(s *program.Session) { all += eachOf(t, db.Open(s), text) })
	}, program.Options{Recheck: -1})
	measure := func() float64 {
		all = 0
		for range runs {
			if err := c.Renew(); err != nil {
				t.Fatal(err)
			}
			explored(t, c, 0)
		}
		return float64(all.Nanoseconds()) / 1000 / runs
	}
	measure()
	show("processor time of `"+text+"`", "µs", measure)
}

// eachOf is what the fourth to the fifteenth of a statement take, each.
func eachOf(t *testing.T, db *sql.DB, text string) time.Duration {
	const warm, measured = 3, 12
	var before time.Duration
	for i := range warm + measured {
		if i == warm {
			before = spent(syscall.RUSAGE_SELF)
		}
		rows, err := db.QueryContext(context.Background(), text)
		if err != nil {
			continue // some fail
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}
	return (spent(syscall.RUSAGE_SELF) - before) / measured
}

// showCommand shows how long a command takes, from its start to its end.
func showCommand(t *testing.T) {
	txmc := filepath.Join(t.TempDir(), "txmc")
	build := exec.Command("go", "build", "-o", txmc, "./cmd/txmc")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := func() { _ = exec.Command(txmc, "explore", "./testdata/stock", "--iso=ser", "--quiet").Run() }
	run()
	show("`txmc explore ./testdata/stock --iso=ser`, again", "s of processor time", func() float64 {
		before := spent(syscall.RUSAGE_CHILDREN)
		run()
		return (spent(syscall.RUSAGE_CHILDREN) - before).Seconds()
	})
	show("the same by the clock", "s", func() float64 {
		before := time.Now()
		run()
		return time.Since(before).Seconds()
	})
}

// behaviours is a program whose reader has a new behaviour in each history.
func behaviours(p *program.Program) {
	const reads = 8
	db := mysql.New(p, mysql.Schema(bankSchema), mysql.Seed(bankSeed))
	p.Session("writer", func(s *program.Session) {
		open := db.Open(s)
		for i := range 10 {
			if _, err := open.Exec("UPDATE acct SET bal = ? WHERE id = 1", i); err != nil {
				s.Assert(false, err)
			}
		}
	})
	p.Session("reader", func(s *program.Session) {
		open := db.Open(s)
		for range reads {
			var bal int
			if err := open.QueryRow("SELECT bal FROM acct WHERE id = ?", 1).Scan(&bal); err != nil {
				s.Assert(false, err)
			}
		}
	})
}

// showBehaviours shows how fast an exploration is that runs client code, and one that does not.
func showBehaviours(t *testing.T) {
	const most = 1500
	show("new behaviours of eight transactions", "in a second of processor time", func() float64 {
		c := sqltest.NewClient(t, behaviours, program.Options{})
		explored(t, c, 8) // the schema, and the first statements
		before := spent(syscall.RUSAGE_SELF)
		explored(t, c, most)
		return most / (spent(syscall.RUSAGE_SELF) - before).Seconds()
	})
	showAgain(t, "eight transactions beside ten", sqltest.NewClient(t, behaviours, program.Options{}), most)
}

// showAgain shows the rate of explorations of what is recorded.
func showAgain(t *testing.T, name string, c *program.Client, most int64) {
	first := explored(t, c, most)
	show(fmt.Sprintf("%s, %d histories at cc, once recorded", name, first.Histories), "histories in a second of processor time", func() float64 {
		var n int64
		before := spent(syscall.RUSAGE_SELF)
		for n < 2000 {
			n += explored(t, c, most).EndStates
		}
		return float64(n) / (spent(syscall.RUSAGE_SELF) - before).Seconds()
	})
}
