package find

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
)

// Command is what users say on the command line.
type Command struct {
	Packages []string `arg:"" optional:"" name:"packages" help:"Packages as for go build; the one in the current directory by default."`

	Schema  []string      `placeholder:"FILE" help:"Files of SQL that make the tables, or directories of migrations, in order. By default the constants and embedded files of the packages that have CREATE TABLE."`
	Seed    []string      `placeholder:"FILE" help:"Files of SQL that make the initial rows, in order; keys that are numbers begin with 1, texts with a. By default rows are made up."`
	New     []string      `placeholder:"FUNC" help:"Functions that make what the methods are called on. By default one is looked for: it is exported, and takes a *sql.DB or another way to the database."`
	Iso     string        `placeholder:"LEVEL" help:"Level of transactions that ask for none: a level of the database, or an axiomatic one; by default read committed of PostgreSQL, and repeatable read of MySQL."`
	DB      string        `name:"db" enum:"postgres,mysql,mariadb" default:"postgres" placeholder:"DATABASE" help:"postgres, or mysql or mariadb, for which the packages' module has to require github.com/txmc/txmc/mysql; ${default} by default."`
	Length  int           `default:"4" placeholder:"N" help:"Most statements of a cycle of dependencies; ${default} by default."`
	Calls   int           `default:"2" placeholder:"N" help:"Most calls that run at the same time, 2 or 3: with 3 another one is added where two go wrong, to break invariants that no two break; ${default} by default."`
	Whole   bool          `default:"true" negatable:"" help:"Calls of several transactions have to be serializable as a whole; --no-whole asks that of their transactions alone."`
	Run     bool          `default:"true" negatable:"" help:"Run what is found; --no-run says only what might happen."`
	Benign  bool          `help:"Look at all outcomes of all variants, to tell structures that ran and did no harm from those that no run has; it takes longer."`
	Advice  bool          `help:"Look for changes that make the anomalies go away, and verify them: locks, and levels of transactions."`
	Timeout time.Duration `default:"20s" placeholder:"D" help:"Stop each exploration after this long; ${default} by default."`
	Format  string        `default:"text" enum:"text,json" placeholder:"FORMAT" help:"text or json; ${default} by default."`
	Output  string        `short:"o" placeholder:"DIR" help:"Keep the generated programs that show anomalies in that directory, for txmc explore; with --no-run all."`
	Tags    string        `placeholder:"TAGS" help:"Build tags, as for go build."`
	Verbose bool          `short:"v" help:"Say what is done."`

	Confirm string `placeholder:"DSN" help:"Run each anomaly once more on a real server: the DSN of an empty database, postgres:temp or mariadb:temp."`

	// Server is the server of Confirm.
	Server explore.OnServer `kong:"-"`

	level isolation.Level
}

// Check rejects what can be rejected at once.
func (c *Command) Check() error {
	database := isolation.DatabaseNamed(c.DB)
	levels, err := isolation.ParseListAt(database, cmp.Or(c.Iso, database.Default().String()))
	if err != nil {
		return fmt.Errorf("--iso: %w", err)
	}
	switch {
	case len(levels) != 1:
		return errors.New("--iso takes one level")
	case c.Length < 2:
		return errors.New("--length must be at least 2: a cycle has two statements")
	case c.Calls != 2 && c.Calls != 3:
		return errors.New("--calls must be 2 or 3")
	case c.Confirm != "" && !c.Run:
		return errors.New("--confirm does not go with --no-run: what was not run cannot be confirmed")
	case c.Benign && !c.Run:
		return errors.New("--benign does not go with --no-run: what was not run is not known to be benign")
	case c.Timeout <= 0:
		return errors.New("--timeout must be more than zero, such as 20s")
	}
	c.level = levels[0]
	return nil
}

// Do looks for anomalies and writes the report. The status is Violation when there are any, and
// Incomplete when ctx was done before all was run and there is none yet.
func (c *Command) Do(ctx context.Context, stdout, stderr io.Writer) (driver.Status, error) {
	if on := c.Server; on.DSN != "" && (on.Kind == "mariadb") != (c.dialect() == access.MySQL) {
		return driver.Failed, fmt.Errorf("--confirm names a server that is not of --db=%s: name one of that database", c.DB)
	}
	temp, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "txmc-")
	if err != nil {
		return driver.Failed, fmt.Errorf("cannot make a temporary directory: %w", err)
	}
	defer os.RemoveAll(temp)
	config := load.Config{Server: c.Server.Package(), Patterns: c.Packages, Tags: c.Tags, Temp: temp, Cache: load.CacheDir(), Determinism: true}
	if c.Verbose {
		config.Log = func(format string, args ...any) { fmt.Fprintf(stderr, "txmc: "+format+"\n", args...) }
	}
	r, err := Find(ctx, Options{
		Config: config, Initial: Initial{Schema: c.Schema, Seed: c.Seed}, New: c.New, Dialect: c.dialect(), Level: c.level,
		Extent: Extent{Length: c.Length, Calls: c.Calls, Whole: c.Whole}, Run: c.Run, Server: c.Server,
		Execution: Execution{Benign: c.Benign, Advice: c.Advice, Out: c.Output, Timeout: c.Timeout},
		Printing:  Printing{Stderr: stderr, Shown: map[bool]int{false: harness.Shown}[c.Verbose]},
	})
	if err == nil && c.Format == "json" {
		err = json.NewEncoder(stdout).Encode(r)
	} else if err == nil {
		_, err = io.WriteString(stdout, r.Text())
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return driver.Incomplete, errors.New("interrupted before anything was run")
	case err != nil:
		return driver.Failed, err
	}
	return r.status(), nil
}

// dialect is that of the database.
func (c *Command) dialect() access.Dialect {
	if isolation.DatabaseNamed(c.DB) == isolation.InnoDB {
		return access.MySQL
	}
	return access.PostgreSQL
}

func (r *Report) status() driver.Status {
	switch {
	case len(r.Findings) > 0:
		return driver.Violation
	case r.Interrupted:
		return driver.Incomplete
	}
	return driver.OK
}
