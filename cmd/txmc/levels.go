package main

import (
	"cmp"
	"errors"
	"os"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/isolation"
)

// levelsCmd is the command line of txmc levels.
type levelsCmd struct {
	Iso    string `default:"" placeholder:"LEVEL" help:"Isolation levels: all, which is the default, or rc, ra, cc, pc, si, ser, several with commas. Levels of PostgreSQL, the default of programs in SQL: pg-rc, pg-rr, pg-ser; of InnoDB: innodb-rc, innodb-rr, innodb-rr-si, innodb-ser."`
	DB     string `name:"db" enum:",postgres,postgres:13,postgres:14,postgres:15,postgres:16,postgres:17,postgres:18,mysql,mysql:8.4,mariadb,mariadb:10.11,mariadb:11.8" default:"" placeholder:"DATABASE" help:"postgres, mysql or mariadb, or postgres:15, mysql:8.4 or mariadb:10.11, which answers as that version does where versions differ: the levels are the database's, and --iso names them by its own words, as in --iso='repeatable read'."`
	Format string `default:"text" enum:"text,json" placeholder:"FORMAT" help:"text, or json: one object a program; ${default} by default."`

	driver.Options
}

// Help is what txmc levels --help says beyond the flags.
func (*levelsCmd) Help() string {
	return `Explores every program completely at every level and prints a table: a row an assertion, a column a level;
then the weakest level at which everything holds. Assertions of sessions have a row where they break. With --db, or
levels such as pg-rc, what a level costs follows: the errors that code has to expect there, with their SQLSTATEs.

Exit status: 0 explored completely, whatever breaks; 2 usage, build, nondeterminism or unsupported code;
3 incomplete, or nothing was checked. Of several, 2 counts before 3.`
}

func (x *levelsCmd) check() error {
	if err := asked(&x.Options.Options, x.DB, cmp.Or(x.Iso, "all")); err != nil {
		return err
	}
	if x.Iso == "" && x.DB == "" && x.SearchLeftOpen() {
		x.InSQL = append(isolation.LevelsOf(isolation.PostgreSQL), isolation.LevelsOf(isolation.InnoDB)...)
	}
	isolation.WeakestFirst(x.Levels)
	isolation.WeakestFirst(x.InSQL)
	if of := databases(x.Levels); len(of) > 1 {
		return errMixed
	}
	return x.Options.Check()
}

// errMixed is why levels of several databases are rejected.
var errMixed = errors.New("--iso: a table has the axiomatic levels, or those of one database: the levels of others are not to be compared")

// databases are those of which the levels are.
func databases(levels []isolation.Level) map[isolation.Database]bool {
	of := map[isolation.Database]bool{}
	for _, l := range levels {
		of[l.Database()] = true
	}
	return of
}

func (x *levelsCmd) run(stdout, stderr *os.File) int {
	return drive(driver.Config{Format: x.Format, Scope: explore.Scope{All: true}, Options: x.Options, Task: &driver.Tables{Levels: x.Levels}}, stdout, stderr)
}
