//go:build unix

// The figures of bench/README.md on programs in SQL for MySQL. They are measured like those
// of package pg, as processor times of this process. So other work on the machine counts
// little.

package mysql_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/mysql/testdata/counter"
	"github.com/txmc/txmc/mysql/testdata/hours"
	"github.com/txmc/txmc/mysql/testdata/stock"
	"github.com/txmc/txmc/program"
)

var figures = flag.Bool("figures", false, "print the figures of bench/README.md on programs in SQL")

func TestFigures(t *testing.T) {
	if !*figures {
		t.Skip("-figures prints them")
	}
	fmt.Println("| what | median | least to most |\n|---|--:|--:|")
	for _, text := range []string{"SELECT 1", "SELECT bal FROM acct WHERE id = 1", "UPDATE acct SET bal = bal + 1 WHERE id = 1", "SELECT * FROM nothing"} {
		showStatement(t, text)
	}
	sqltest.FigureCommand(t, "..", ".", "./testdata/stock")
	showBehaviours(t)
	for name, f := range map[string]func(*program.Program){"counter.ExploreVisit": counter.ExploreVisit, "hours.ExploreNewHour": hours.ExploreNewHour, "stock.ExploreBuy": stock.ExploreBuy} {
		sqltest.FigureAgain(t, name, sqltest.NewClient(t, f, program.Options{}), 0)
	}
}

const (
	bankSchema = "CREATE TABLE acct (id int PRIMARY KEY, owner varchar(20) UNIQUE, bal int NOT NULL CHECK (bal >= 0))"
	bankSeed   = "INSERT INTO acct VALUES (1, 'ann', 100), (2, 'bob', 0)"
)

// showStatement shows what a statement of a session costs, of the first ones on a row.
func showStatement(t *testing.T, text string) {
	var all time.Duration
	c := sqltest.NewClient(t, func(p *program.Program) {
		db := mysql.New(p, mysql.Schema(bankSchema), mysql.Seed(bankSeed))
		p.Session("s", func(s *program.Session) {
			open := db.Open(s)
			all += sqltest.Each(func() { query(t, open, text) })
		})
	}, program.Options{Recheck: -1})
	sqltest.FigureStatement(t, c, text, &all)
}

func query(t *testing.T, db *sql.DB, text string) {
	rows, err := db.QueryContext(context.Background(), text)
	if err != nil {
		return // some fail
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
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
	sqltest.Figure("new behaviours of eight transactions", "in a second of processor time", func() float64 {
		c := sqltest.NewClient(t, behaviours, program.Options{})
		sqltest.Once(t, c, isolation.CC, 8) // the schema, and the first statements
		before := sqltest.Spent(syscall.RUSAGE_SELF)
		sqltest.Once(t, c, isolation.CC, most)
		return most / (sqltest.Spent(syscall.RUSAGE_SELF) - before).Seconds()
	})
	sqltest.FigureAgain(t, "eight transactions beside ten", sqltest.NewClient(t, behaviours, program.Options{}), most)
}
