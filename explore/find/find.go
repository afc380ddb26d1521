// Package find looks for anomalies in Go code that nobody has written a program for. It finds
// the transactions in an application's source, and the cycles of dependencies between them that
// a level does not forbid. It makes calls and rows in which such a cycle can happen, and runs
// the application's own functions on them. Nothing is called an anomaly that was not run.
//
// The method is that of CLOTHO (Rahmani, Nagar, Delaware and Jagannathan, CLOTHO: Directed
// Test Generation for Weakly Consistent Database Systems, OOPSLA 2019); docs/find.md tells
// where it differs. Package source finds the transactions, access what their statements
// read and write, structure the cycles, configure arguments and rows, and generate writes
// the program.
package find

import (
	"cmp"
	"context"
	"fmt"
	"go/types"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/configure"
	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
)

// Options say what is looked for.
type Options struct {
	load.Config
	Initial
	New     []string        // functions that make what methods are called on
	Dialect access.Dialect  // of the database
	Level   isolation.Level // of transactions that ask for none
	Extent
	Only   *regexp.Regexp   // matches the names of the calls that are looked at; nil: all
	Run    bool             // run what is found
	Server explore.OnServer // where anomalies are run once more, to confirm them; the zero value is nowhere
	Execution
	Printing
}

// Initial is the database before the calls.
type Initial struct {
	Schema []string // files of SQL and directories of these, in order; none: what makes most of the tables of which the code speaks
	Seed   []string // files of SQL that make the initial rows, in order; none: they are made up
}

// Extent says how large the anomalies are that are looked for.
type Extent struct {
	Length int  // most statements of a cycle
	Calls  int  // most calls of a configuration: 2, or 3 for invariants that no two break
	Whole  bool // calls are the units of serial orders, not their transactions
}

// Execution says how what is found runs.
type Execution struct {
	Benign    bool          // look at all outcomes, for structures that ran and did no harm
	Advice    bool          // look for changes that make anomalies go away, one of each kind
	Fix       bool          // look for one change for each anomaly
	Out       string        // directory that keeps the generated file; "" keeps none
	Timeout   time.Duration // for each exploration
	Budget    *Budget       // that ends ctx, and stands still while the go command works; nil: there is none
	Schedules int64         // most schedules of each kind that a change runs in on the server; 0: 1,000
}

// Printing is where the application prints.
type Printing struct {
	Progress func(line string) // is told what is done; nil: nobody is
	Known    *Known            // has what is known at any time; nil: nobody asks
	Stderr   io.Writer         // what the application prints
	Shown    int               // of it: lines of a process; 0: all
}

// finding is the work on some packages.
type finding struct {
	Options
	source  *load.Source
	program *source.Program
	tables
	made
	steps  map[*source.Call][]*structure.Step
	list   []*structure.Transaction
	seen   recording
	report *Report
}

// tables is what is known of the application's database.
type tables struct {
	sql          analyser
	catalog      *access.Catalog
	schema       string
	seed         string
	schemaFailed error // why the likeliest schema cannot be made
	gorm         generate.GormConfig
}

// made is what has been made until now.
type made struct {
	names map[string]int        // of programs: how many there are
	plans []*plan               // all that have programs
	one   bool                  // of the changes for an anomaly the first that helps is enough
	rerun map[*source.Call]bool // calls of which a program has been run twice, to see whether they repeat themselves
}

// Find looks for anomalies. What the go command or the compiler has to say is a
// [*load.ToolError]. When ctx is done the report has what was found until then, and says so.
func Find(ctx context.Context, opts Options) (*Report, error) {
	f := &finding{Options: opts, steps: map[*source.Call][]*structure.Step{}, made: made{names: map[string]int{}, rerun: map[*source.Call]bool{}}}
	if opts.Dir == "" {
		wd, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("cannot find the current directory: %w", err)
		}
		f.Dir = wd
	}
	f.report = &Report{Type: TypeReport, Iso: opts.Level.String(), Length: opts.Length}
	var err error
	f.Config.Requires = f.modules()
	f.say("loading %s", cmp.Or(strings.Join(f.Patterns, " "), "."))
	if err := f.waiting("loading and compiling", func() (err error) {
		f.source, err = load.LoadSource(ctx, f.Config)
		return err
	}); err != nil {
		return nil, err
	}
	f.say("looking at %s", count(len(f.source.Roots), "package"))
	f.report.Left = f.source.Left
	started := time.Now()
	if err := f.known(opts.New); err != nil {
		return nil, err
	}
	f.program = source.Find(ctx, f.source, source.Options{New: opts.New, Numbers: f.Dialect == access.PostgreSQL})
	if err := f.choose(opts.Only); err != nil {
		return nil, err
	}
	if f.seed, err = seed(opts.Seed); err != nil {
		return nil, err
	}
	f.gorm = f.gormConfig()
	end, err := f.makeSchema(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	f.callable()
	asking := ctx
	if err := f.record(ctx); err != nil && ctx.Err() == nil {
		return nil, err
	} else if err != nil && f.Dialect == access.PostgreSQL { // what the source tells can be told all the same
		asking = context.WithoutCancel(ctx)
	}
	f.analyse(asking)
	if asking.Err() != nil { // what was asked then is not misunderstood
		return nil, asking.Err()
	}
	long, enough := f.Budget.within(asking, 8)
	structures, complete := structure.Find(asking, long, f.list, cycles(opts.Level), opts.Length, opts.Whole)
	enough()
	f.report.Structures, f.report.Truncated = len(structures), !complete
	f.report.Seconds = time.Since(started).Seconds()
	f.Known.analysed(f.report)
	f.say("%s in %s: %s to look at", count(f.report.Transactions, "transaction"), count(len(f.report.Calls), "call"), count(len(structures), "structure"))
	return f.report, f.mended(ctx, asking, structures)
}

// modules are those of txmc that generated files import.
func (f *finding) modules() []string {
	if f.Dialect == access.MySQL {
		return []string{"github.com/txmc/txmc", "github.com/txmc/txmc/mysql"}
	}
	return []string{"github.com/txmc/txmc"}
}

// known reports that a function which was asked for is in none of the packages.
func (f *finding) known(functions []string) error {
	for _, name := range functions {
		there := slices.ContainsFunc(f.source.Roots, func(p *packages.Package) bool {
			fn, ok := p.Types.Scope().Lookup(name).(*types.Func)
			return ok && fn.Exported()
		})
		if !there {
			return fmt.Errorf("--new: no package has an exported function %s", name)
		}
	}
	return nil
}

// cycles is what a level comes to for cycles.
func cycles(l isolation.Level) structure.Level {
	switch l {
	case isolation.InnoRR:
		return structure.Gaps
	case isolation.SI, isolation.PgRR, isolation.InnoRRSI:
		return structure.Snapshot
	case isolation.SER, isolation.PgSer, isolation.InnoSer:
		return structure.Serializable
	}
	return structure.ReadCommitted
}

// analyser tells what statements do.
type analyser interface {
	Analyse(ctx context.Context, sql string) (*access.Effect, error)
	Try(ctx context.Context, script string) error // does SQL that makes rows run?
}

// analyse asks the database what the statements do.
func (f *finding) analyse(ctx context.Context) {
	for _, call := range f.program.Calls {
		for _, tx := range call.Transactions {
			t := &structure.Transaction{Transaction: tx, InnoDB: f.Dialect == access.MySQL}
			for _, s := range tx.Statements {
				effect, err := f.effect(ctx, s)
				if err != nil {
					f.unknown(s.At, "the statement is not understood: "+err.Error())
					continue
				}
				f.triggers(s, effect)
				step := &structure.Step{Statement: s, Effect: effect, Of: t}
				t.Steps = append(t.Steps, step)
				f.steps[call] = append(f.steps[call], step)
			}
			if len(t.Steps) > 0 {
				f.list = append(f.list, t)
			}
		}
	}
	for call, steps := range f.steps {
		configure.Identify(steps)
		call.Versions = slices.ContainsFunc(steps, versions)
	}
	for _, p := range f.program.Unknown {
		if what, ok := f.seen.still(p); ok {
			f.unknown(p.At, what)
		}
	}
	slices.SortStableFunc(f.report.Unknown, func(a, b Problem) int { return cmp.Or(byPlace(a.At, b.At), cmp.Compare(a.What, b.What)) })
	f.report.Unknown = slices.Compact(f.report.Unknown)
	f.report.transactions(f.program)
}

// versions reports whether a statement updates a row if a column that is no key is what a statement has read.
func versions(s *structure.Step) bool {
	return slices.ContainsFunc(s.Accesses, func(a *access.Access) bool {
		for column, o := range a.Bound {
			if a.Kind == access.Update && !a.Table.Identifies(column) && o.Param > 0 && o.Param <= len(s.Args) && s.Args[o.Param-1].Op == source.Result {
				return true
			}
		}
		return false
	})
}

// effect is what a statement does: of one that a run has sent, what it did there.
func (f *finding) effect(ctx context.Context, s *source.Statement) (e *access.Effect, err error) {
	if e = f.seen.effects[s]; e == nil {
		e, err = f.sql.Analyse(ctx, s.SQL)
	}
	if err == nil {
		e.Given(func(param int) bool { return param <= len(s.Args) && s.Args[param-1].Whole() })
	}
	return e, err
}

// triggers tells of triggers, whose statements are not looked at.
func (f *finding) triggers(s *source.Statement, effect *access.Effect) {
	for _, a := range effect.Accesses {
		if a.Kind != access.Read && len(a.Table.Triggers) > 0 {
			f.unknown(s.At, fmt.Sprintf("the trigger %s of %s is not looked at", a.Table.Triggers[0], a.Table.Name))
		}
	}
}

func (f *finding) unknown(at, what string) {
	f.report.Unknown = append(f.report.Unknown, Problem{at, what})
}

// byPlace orders places by file and line.
func byPlace(a, b string) int {
	fileA, lineA, _ := strings.Cut(a, ":")
	fileB, lineB, _ := strings.Cut(b, ":")
	return cmp.Or(cmp.Compare(fileA, fileB), cmp.Compare(len(lineA), len(lineB)), cmp.Compare(lineA, lineB))
}
