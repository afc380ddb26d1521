package main

import (
	"cmp"
	"os"
	"slices"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/isolation"
)

// adviseCmd is the command line of txmc advise.
type adviseCmd struct {
	Iso    string `placeholder:"LEVEL" help:"The levels that transactions may have, several with commas; all by default: rc, ra, cc, pc, si and ser, and of programs in SQL those of PostgreSQL."`
	DB     string `name:"db" enum:",postgres,postgres:13,postgres:14,postgres:15,postgres:16,postgres:17,postgres:18,mysql,mysql:8.4,mariadb,mariadb:10.11,mariadb:11.8" default:"" placeholder:"DATABASE" help:"postgres, mysql or mariadb, or postgres:15, mysql:8.4 or mariadb:10.11, which answers as that version does where versions differ: the levels are the database's, and --iso names them by its own words."`
	Format string `default:"text" enum:"text,json" placeholder:"FORMAT" help:"text, or json: one object a program; ${default} by default."`

	driver.Options

	among []isolation.Level
}

// Help is what txmc advise --help says beyond the flags.
func (*adviseCmd) Help() string {
	return `Looks for the weakest levels at which every assertion of a program holds: one for each of its transactions, by
name. Assignments of levels are explored, the weakest first, but for those that a violation which was found before decides. What an
assignment costs follows: with --db, or in SQL, the outcomes that wait and the errors that code has to expect. Nothing is changed.
Each exploration has a --timeout of one minute by default.

Exit status: 0 found; 1 no levels make everything hold; 2 usage, build, nondeterminism or unsupported code; 3 incomplete, or nothing was checked. Of
several, 2 counts before 1 before 3.`
}

func (x *adviseCmd) check() error {
	if err := asked(&x.Options.Options, x.DB, cmp.Or(x.Iso, "all")); err != nil {
		return err
	}
	if len(databases(x.Levels)) > 1 {
		return errMixed
	}
	if x.Iso == "" && x.DB == "" && x.SearchLeftOpen() {
		x.InSQL = append(isolation.LevelsOf(isolation.PostgreSQL), isolation.LevelsOf(isolation.InnoDB)...)
	}
	x.among = append(slices.Clone(x.Levels), x.InSQL...)
	isolation.WeakestFirst(x.Levels)
	x.Levels = x.Levels[:min(1, len(x.Levels))]
	if len(x.InSQL) > 0 { // the level only says whose levels are meant
		x.InSQL = explore.UsualInSQL()
	}
	x.Timeout = cmp.Or(x.Timeout, time.Minute)
	return x.Options.Check()
}

func (x *adviseCmd) run(stdout, stderr *os.File) int {
	return drive(driver.Config{Format: x.Format, Scope: explore.Scope{All: true}, Options: x.Options, Task: &driver.Advice{Among: x.among}}, stdout, stderr)
}
