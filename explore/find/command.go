package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
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
	Packages []string `arg:"" optional:"" name:"packages" help:"Packages as for go build; the one in the current directory by default. Or a file of requests, whose pairs are explored: docs/requests.md."`

	Schema  []string      `placeholder:"FILE" help:"Files of SQL that make the tables, or directories of migrations, in order. By default what makes most of the tables of which the code speaks: its constants and embedded files, files *.sql of the module, and code that migrates."`
	Seed    []string      `placeholder:"FILE" help:"Files of SQL that make the initial rows, in order; keys that are numbers begin with 1, texts with a. By default rows are made up."`
	New     []string      `placeholder:"FUNC" help:"Functions that make what the methods are called on. By default one is looked for: it is exported, and takes a *sql.DB or another way to the database."`
	Iso     string        `placeholder:"LEVEL" help:"Level of transactions that ask for none: a level of the database, or an axiomatic one; by default read committed of PostgreSQL, and repeatable read of MySQL."`
	DB      string        `name:"db" enum:"postgres,mysql,mariadb" default:"postgres" placeholder:"DATABASE" help:"postgres, mysql or mariadb; ${default} by default."`
	Length  int           `default:"4" placeholder:"N" help:"Most statements of a cycle of dependencies; ${default} by default."`
	Calls   int           `default:"2" placeholder:"N" help:"Most calls that run at the same time, 2 or 3: with 3 another one is added where two go wrong, to break invariants that no two break; ${default} by default."`
	Whole   bool          `default:"true" negatable:"" help:"Calls of several transactions have to be serializable as a whole; --no-whole asks that of their transactions alone."`
	Only    string        `name:"run" placeholder:"REGEXP" help:"Look at the calls whose names match, and at no others."`
	NoRun   bool          `help:"Say what might happen, and run nothing."`
	Benign  bool          `help:"Look at all outcomes of all variants, to tell structures that ran and did no harm from those that no run has; it takes longer."`
	Fix     bool          `default:"true" negatable:"" help:"Look for a change that mends each of the worst bugs, and verify it; --no-fix looks for none."`
	Advice  bool          `help:"Look for changes of each kind that make the anomalies go away, and verify them: locks, and levels of transactions."`
	Budget  time.Duration `default:"2m" placeholder:"D" help:"End after this long, without the time of the compiler, with what is known; 0: when all is done; ${default} by default."`
	Timeout time.Duration `default:"20s" placeholder:"D" help:"Stop each exploration after this long; ${default} by default."`
	Format  string        `default:"text" enum:"text,json,html,sarif,github,junit" placeholder:"FORMAT" help:"text; json; html: a page with diagrams of the bugs; for continuous integration: sarif, junit, or github, text with annotations. ${default} by default."`
	Output  string        `short:"o" placeholder:"DIR" help:"Keep the generated programs that show anomalies in that directory, for txmc explore; with --no-run all."`
	Tags    string        `placeholder:"TAGS" help:"Build tags, as for go build."`
	Show    int           `placeholder:"N" help:"Show the run of the bug of that number."`
	Verbose bool          `short:"v" help:"Say what is done, and list all that was found and what was not."`

	Confirm string `placeholder:"DSN" help:"Run each anomaly once more on a real server: the DSN of an empty database, postgres:temp or mariadb:temp."`

	// Server is the server of Confirm.
	Server explore.OnServer `kong:"-"`

	// Version is that of txmc.
	Version string `kong:"-"`

	level isolation.Level
	only  *regexp.Regexp
}

// Check rejects what can be rejected at once.
func (c *Command) Check() error {
	database := isolation.DatabaseNamed(c.DB)
	if c.Only != "" {
		only, err := regexp.Compile(c.Only)
		if err != nil {
			return fmt.Errorf("--run: %w", err)
		}
		c.only = only
	}
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
	case c.Confirm != "" && c.NoRun:
		return errors.New("--confirm does not go with --no-run: what was not run cannot be confirmed")
	case c.Benign && c.NoRun:
		return errors.New("--benign does not go with --no-run: what was not run is not known to be benign")
	case c.Show < 0:
		return errors.New("--show must be the number of a bug: the worst is 1")
	case c.Budget < 0:
		return errors.New("--budget must not be less than zero")
	case c.Timeout <= 0:
		return errors.New("--timeout must be more than zero, such as 20s")
	}
	c.level = levels[0]
	return nil
}

// Level is the level that --iso names, once it has been checked.
func (c *Command) Level() isolation.Level { return c.level }

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
	budget, ctx, cancel := c.limited(ctx)
	defer cancel()
	r, err := c.until(ctx, Options{
		Config: config, Initial: Initial{Schema: c.Schema, Seed: c.Seed}, New: c.New, Dialect: c.dialect(), Level: c.level,
		Extent: Extent{Length: c.Length, Calls: c.Calls, Whole: c.Whole}, Only: c.only, Run: !c.NoRun, Server: c.Server,
		Execution: Execution{Benign: c.Benign, Advice: c.Advice, Fix: c.Fix, Out: c.Output, Timeout: c.Timeout, Budget: budget},
		Printing: Printing{
			Stderr: stderr, Shown: map[bool]int{false: harness.Shown}[c.Verbose], Known: &Known{},
			Progress: func(line string) { fmt.Fprintf(stderr, "txmc: %s\n", line) },
		},
	})
	if err == nil {
		err = c.write(r, stdout)
	}
	switch {
	case errors.Is(err, errNoSchema) || errors.Is(err, errNoCalls):
		return driver.Incomplete, fmt.Errorf("nothing was understood: %w", err)
	case err != nil && errors.Is(context.Cause(ctx), errBudget):
		return driver.Incomplete, fmt.Errorf("%w before anything was run: --budget gives more", errBudget)
	case err != nil && ctx.Err() != nil:
		return driver.Incomplete, errors.New("interrupted before anything was run")
	case err != nil:
		return driver.Failed, err
	}
	return r.status(), nil
}

// text is the report as it is wanted.
func (c *Command) text(r *Report) string {
	switch {
	case c.Show > 0 && c.Show <= len(r.Findings):
		return r.One(c.Show)
	case c.Show > 0:
		return fmt.Sprintf("there is no bug %d: %s found\n", c.Show, count(len(r.Findings), "bug"))
	case c.Verbose:
		return r.Text()
	}
	return r.Short(c.again())
}

// errBudget is why a search ends whose time is over.
var errBudget = errors.New("the time of --budget is over")

// limited is a context that ends with the budget.
func (c *Command) limited(ctx context.Context) (*Budget, context.Context, context.CancelFunc) {
	if c.Budget == 0 {
		ctx, cancel := context.WithCancel(ctx)
		return nil, ctx, cancel
	}
	return NewBudget(ctx, c.Budget)
}

// grace is how long a search may take to end by itself.
const grace = 700 * time.Millisecond

// until is Find, which has a moment to end when ctx is done. If it takes longer, what is known then is the report.
func (c *Command) until(ctx context.Context, opts Options) (*Report, error) {
	type result struct {
		report *Report
		err    error
	}
	ended := make(chan result, 1)
	go func() {
		r, err := Find(ctx, opts)
		ended <- result{r, err}
	}()
	var last result
	select {
	case last = <-ended:
	case <-ctx.Done():
		select {
		case last = <-ended:
		case <-time.After(grace):
			last.report = opts.Known.Report()
			last.report.Interrupted, last.report.Ran = true, opts.Run
			if last.report.Type == "" {
				last = result{nil, ctx.Err()}
			}
		}
	}
	if last.report != nil && errors.Is(context.Cause(ctx), errBudget) {
		last.report.Budget = c.Budget.String()
	}
	return last.report, last.err
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
	case r.Interrupted && !r.Pairs || r.Transactions == 0 || r.Ran && !r.Interrupted && !r.mostly():
		return driver.Incomplete
	}
	return driver.OK
}
