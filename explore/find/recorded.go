package find

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/configure"
	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/find/record"
	"github.com/txmc/txmc/explore/find/seen"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/program/rows"
	"github.com/txmc/txmc/report"
)

// Statements that libraries make at run time are known from runs. Each call that leads to such
// a statement is run by itself, some times. What it sends is part of the analysis from then
// on. Which rows it needs shows in what it sends, so that there are several rounds.

// rounds is how often calls are run while they send what they have not sent before.
const rounds = 6

// recording is what runs of calls by themselves have sent.
type recording struct {
	effects map[*source.Statement]*access.Effect
	places  map[string]bool   // at which a run has sent what is understood
	wrong   map[string]string // places at which a run has sent what is not
	why     map[string]string // a call could not be run, by its place
	rounds  int
}

// still reports what is to be said of something that the source did not tell.
func (r *recording) still(p source.Problem) (string, bool) {
	if r.places == nil || !strings.Contains(p.What, "at run time") && !strings.Contains(p.What, "is not understood: send") && !strings.Contains(p.What, "is not followed: begin") {
		return p.What, true
	}
	if wrong := r.wrong[p.At]; wrong != "" {
		return p.What + ", and " + wrong, !r.places[p.At]
	}
	return p.What + ", and no run has sent it", !r.places[p.At]
}

// alone is a call that is run by itself.
type alone struct {
	*seen.Call
	broken   bool // its programs do not compile
	programs []generate.Program
	given    []map[string]string
}

// record runs the calls of which the source does not tell all.
func (f *finding) record(ctx context.Context) error {
	if !f.Run || len(f.program.Open) == 0 {
		return nil
	}
	f.seen = recording{effects: map[*source.Statement]*access.Effect{}, places: map[string]bool{}, wrong: map[string]string{}, why: map[string]string{}}
	var calls []*alone
	for _, c := range f.program.Open {
		calls = append(calls, &alone{Call: seen.New(c)})
	}
	for again := true; again && ctx.Err() == nil && f.seen.rounds < rounds; f.seen.rounds++ {
		var err error
		if again, err = f.recorded(ctx, calls); err != nil {
			return err
		}
	}
	f.merge(calls)
	return ctx.Err()
}

// merge makes what was seen a part of the program.
func (f *finding) merge(calls []*alone) {
	for _, c := range calls {
		maps.Copy(f.seen.effects, c.Effects)
		maps.Copy(f.seen.places, c.Sent)
		for _, p := range c.Unknown {
			if f.seen.wrong[p.At] = p.What; c.Open[p.At] == "" {
				f.program.Unknown = append(f.program.Unknown, p)
			}
		}
		if why := f.seen.why[c.At]; why != "" {
			f.program.Unknown = append(f.program.Unknown, source.Problem{At: c.At, What: why})
		}
		if len(c.Transactions) > 0 && !slices.Contains(f.program.Calls, c.Call.Call) {
			f.program.Calls = append(f.program.Calls, c.Call.Call)
		}
	}
	slices.SortStableFunc(f.program.Calls, func(a, b *source.Call) int { return int(a.Func.Pos() - b.Func.Pos()) })
}

// recorded runs the calls by themselves. It reports whether one has sent what it had not before.
func (f *finding) recorded(ctx context.Context, calls []*alone) (more bool, err error) {
	kept := filepath.Join(f.Temp, fmt.Sprintf("sent%d", f.seen.rounds))
	r := &runner{finding: f, env: []string{record.Variable + "=" + kept}, quiet: true}
	for i, c := range calls {
		f.byItself(ctx, c, i)
	}
	owner, err := r.buildAlone(ctx, calls)
	if err != nil || len(r.names) == 0 {
		return false, err
	}
	r.each = func(kind string, line []byte) error { return f.failed(owner, kind, line) }
	f.say("running %s by themselves, to see what they send (round %d)", count(len(calls), "call"), f.seen.rounds+1)
	running, end := f.Budget.half(ctx)
	defer end()
	ended := r.run(running)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case ended != nil && running.Err() == nil: // by one of the calls: what was sent before is known
		f.unknown("", "of calls that were run by themselves not all is known: "+ended.Error())
	}
	sent, err := f.read(kept)
	if err != nil {
		return false, err
	}
	for _, c := range calls {
		more = f.add(ctx, c, sent) || more
	}
	return more && ended == nil, nil
}

// buildAlone builds the programs of calls by themselves. The owner of each is told by its name. What cannot be written, or
// does not compile, is noted, and the others are built.
func (r *runner) buildAlone(ctx context.Context, calls []*alone) (owner map[string]*alone, err error) {
	for try := 1; ; try++ {
		file := r.newFile(r.packageName() + "alone")
		r.names, r.wanted, owner = nil, map[string]bool{}, map[string]*alone{}
		for _, c := range calls {
			for _, p := range c.programs {
				if err := file.Add(p); err != nil {
					r.seen.why[c.At] = "what it sends is not known, as it cannot be run: " + err.Error()
					break
				}
				r.names, owner[p.Name], r.wanted[p.Name] = append(r.names, p.Name), c, true
			}
		}
		if len(r.names) == 0 {
			return owner, nil
		}
		text, err := file.Source()
		if err != nil {
			return nil, fmt.Errorf("the generated file is wrong, please report it: %w", err)
		}
		err = r.build(ctx, file, text)
		said := (*load.ToolError)(nil)
		if err == nil || !errors.As(err, &said) || try == mostBuilds {
			return owner, err
		}
		wrong := blamed(said.Output, string(text))
		if len(wrong) == 0 {
			return nil, err
		}
		for name, why := range wrong {
			if c := owner[name]; c != nil {
				r.seen.why[c.At], c.programs, c.broken = "what it sends is not known, as it does not compile: "+why, nil, true
			}
		}
	}
}

// byItself makes the programs of a call by itself, those whose rows fit the schema.
func (f *finding) byItself(ctx context.Context, c *alone, number int) {
	var steps []*structure.Step
	for _, t := range c.Transactions {
		of := &structure.Transaction{Transaction: t, InnoDB: f.Dialect == access.MySQL}
		for _, s := range t.Statements {
			effect := c.Effects[s]
			if effect == nil {
				effect, _ = f.sql.Analyse(ctx, s.SQL) // what is wrong with it is told later
			}
			if effect != nil {
				steps = append(steps, &structure.Step{Statement: s, Effect: effect, Of: of})
			}
		}
	}
	configure.Identify(steps)
	c.programs, c.given = nil, nil
	if c.broken {
		return
	}
	for mark := 1; mark <= configure.Marks; mark++ {
		config, v := configure.Alone(c.Call.Call, steps, f.catalog, mark, f.seed), configure.Mark(mark)
		if f.sql.Try(ctx, config.Seed(v)) != nil {
			config.Rows = "-- the rows are the schema's\n"
		}
		c.programs = append(c.programs, generate.Program{
			Name: fmt.Sprintf("Explore%s%dAlone%d", c.Func.Name(), number+1, mark), Comment: c.Name + " by itself", Config: config, Variant: v, Records: true,
		})
		c.given = append(c.given, config.Given(v, func(t types.Type) (string, bool) { return "", generate.Leads(t, f.program.Makers) }))
	}
}

// failed notes what is said of a run that could not be.
func (f *finding) failed(owner map[string]*alone, kind string, line []byte) error {
	if kind != report.TypeError {
		return nil
	}
	var e report.Error
	if err := report.Parse(line, &e); err != nil {
		return harness.Garbled(err)
	}
	c := owner[e.Program]
	if c == nil {
		return fmt.Errorf("calls cannot be run by themselves: %s", e.Message)
	}
	f.seen.why[c.At] = "a run of it by itself has failed, so that more may be sent than is known: " + e.Message
	return nil
}

// read reads what programs have sent.
func (f *finding) read(name string) (map[string][]rows.Sent, error) {
	file, err := os.Open(name)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("what calls have sent cannot be read: %w", err)
	}
	defer file.Close()
	return record.Read(file)
}

// add adds what a call has sent.
func (f *finding) add(ctx context.Context, c *alone, sent map[string][]rows.Sent) bool {
	var runs []seen.Run
	for i, p := range c.programs {
		runs = append(runs, seen.Run{Given: c.given[i], Sent: sent[p.Name]})
	}
	return c.Add(runs, func(sql string) (*access.Effect, error) { return f.sql.Analyse(ctx, sql) })
}
