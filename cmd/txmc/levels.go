package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report"
)

// levelsCmd is the command line of txmc levels.
type levelsCmd struct {
	Iso    string `default:"all" placeholder:"LEVEL" help:"Isolation levels: ${default} by default, or rc, ra, cc, pc, si, ser, several with commas. Levels of PostgreSQL: pg-rc, pg-rr, pg-ser; of InnoDB: innodb-rc, innodb-rr, innodb-rr-si, innodb-ser."`
	DB     string `name:"db" enum:",postgres,mysql,mariadb" default:"" placeholder:"DATABASE" help:"postgres, mysql or mariadb: the levels are the database's, and --iso names them by its own words, as in --iso='repeatable read'."`
	Format string `default:"text" enum:"text,json" placeholder:"FORMAT" help:"text, or json: one object a program; ${default} by default."`

	shared
}

// Help is what txmc levels --help says beyond the flags.
func (*levelsCmd) Help() string {
	return `Explores every program completely at every level and prints a table: a row an assertion, a column a level;
then the weakest level at which everything holds. Assertions of sessions have a row where they break. With --db, or
levels such as pg-rc, what a level costs follows: the errors that code has to expect there, with their SQLSTATEs.

Exit status: 0 explored completely, whatever breaks; 2 usage, build, nondeterminism or unsupported code;
3 incomplete. Of several, 2 counts before 3.`
}

func (x *levelsCmd) check() error {
	var err error
	if x.Levels, err = isolation.ParseListAt(isolation.DatabaseNamed(x.DB), x.Iso); err != nil {
		return fmt.Errorf("--iso: %w", err)
	}
	isolation.WeakestFirst(x.Levels)
	if of := databases(x.Levels); len(of) > 1 {
		return errors.New("--iso: a table has the axiomatic levels, or those of one database: the levels of others are not to be compared")
	}
	return x.shared.check()
}

// databases are those of which the levels are.
func databases(levels []isolation.Level) map[isolation.Database]bool {
	of := map[isolation.Database]bool{}
	for _, l := range levels {
		of[l.Database()] = true
	}
	return of
}

func (x *levelsCmd) run(stdout, stderr *os.File) int {
	e := &exploreCmd{Format: x.Format, Scope: explore.Scope{All: true}, Save: saveNothing, shared: x.shared}
	return e.runTask(stdout, stderr, &tables{levels: x.Levels})
}

// tables makes a table of each program of what its levels come to.
type tables struct {
	levels []isolation.Level
	now    *report.Levels // the program that the harness is at
}

func (t *tables) ask(q *harness.Request) { q.Mode = harness.ModeLevels }

func (t *tables) line(e *explorer, kind string, line []byte) error {
	if kind != explore.TypeTally {
		return harness.Garbled(fmt.Errorf("%.60q", line))
	}
	var tally explore.Tally
	if err := json.Unmarshal(line, &tally); err != nil || tally.Result == nil {
		return harness.Garbled(fmt.Errorf("%.60q", line))
	}
	return t.add(e, tally.Result, tally.Assertions)
}

func (t *tables) unreached(e *explorer, r *report.Result) error { return t.add(e, r, nil) }

// add adds a level to the program's table, a new one if need be.
func (t *tables) add(e *explorer, r *report.Result, assertions []report.Assertion) error {
	if t.now != nil && (t.now.Package != r.Package || t.now.Program != r.Program) {
		if err := t.end(e); err != nil {
			return err
		}
	}
	if t.now == nil {
		t.now = &report.Levels{Type: report.TypeLevels, Schema: report.Schema, Package: r.Package, Program: r.Program, Assertions: []report.Assertion{}}
	}
	e.reached(r.Package, r.Program, r.Iso)
	t.now.Add(r, assertions)
	if !r.Complete && r.Stopped != "error" { // an error has a line of its own
		e.note(statusIncomplete)
	}
	return nil
}

// end shows the program that the harness has left.
func (t *tables) end(e *explorer) error {
	l := t.now
	t.now = nil
	if l == nil {
		return nil
	}
	if len(l.Results) == len(t.levels) {
		l.Safe = l.Weakest()
	}
	strongest := l.Results[len(l.Results)-1]
	if e.options.Quiet && e.options.Format == "text" && strongest.Complete && len(l.Results) == len(t.levels) && l.Safe == l.Results[0].Iso {
		return nil
	}
	return e.out.Show(l, func() string { return e.out.Text.Levels(l) })
}
