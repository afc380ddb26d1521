package explore

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/explore/executed"
	"github.com/txmc/txmc/explore/minimise"
	"github.com/txmc/txmc/explore/replay"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// Find is the task that looks for violations: it reports what one exploration
// yields, then the result. Where it stops at the first violation, the smallest that
// can be found is reported; where it goes on, all violations or one of each cause.
func Find(ctx context.Context, r *Run, client *program.Client, level isolation.Level) error {
	if level.Database() != isolation.NoDatabase {
		return findOutcomes(ctx, r, client, level)
	}
	opts, err := r.Options.unbounded(level)
	if err != nil {
		return err
	}
	opts.All, opts.List = r.Scope.All, r.Scope.List
	r.CheckSerial(ctx, client, level)
	src, search := r.source(client, level), opts
	var first *dpor.Found
	var same groups
	alike, err := r.setSymmetry(client, &search)
	if err != nil {
		return err
	}
	elsewhere, err := r.keep(ctx, client, &search, &same, &alike)
	if err != nil {
		return err
	}
	if len(same.list) > 0 && !r.Scope.All {
		first, same = same.list[0].Found, groups{}
	}
	stats, failed := r.all(ctx, client, search, func(found *dpor.Found) {
		if r.Scope.List {
			r.Sink.Event(src.Listed(report.Case(*found)))
		}
		switch {
		case len(found.Failures) == 0:
		case r.Scope.Group:
			same.add(found, anomaly.CauseOf(found.History, found.Failures, client.Key))
		case r.Scope.All:
			v := src.Violation(report.Case(*found))
			same.add(found, v.Cause)
			r.Sink.Event(v)
		case first == nil: // several workers may each find one
			first = found
		}
	})
	if failed == nil {
		failed = elsewhere
	}
	if first != nil {
		v := minimise.Report(ctx, src, client, opts, first)
		if r.late(client) {
			return Find(ctx, r, client, level)
		}
		r.Sink.Event(v)
	}
	if r.Scope.Group {
		same.send(ctx, src, client, opts, r.Sink)
	}
	result := r.result(client, opts, stats)
	result.Causes, result.Symmetry = same.counts(), alike.of(client, stats)
	if busy := client.Busy(); busy != "" && failed == nil {
		result.Note = "when it stopped, " + busy + " had not returned"
	}
	r.noteSize(ctx, client, search, stats, result)
	r.Sink.Event(result)
	return failed
}

// result is the line that ends an exploration.
func (r *Run) result(client *program.Client, opts dpor.Options, st dpor.Stats) *report.Result {
	base := opts.Base.String()
	if opts.DFS {
		base = "none"
	}
	if st.Engine == dpor.Serial {
		base = opts.Level.String()
	}
	note := ""
	if st.Engine == dpor.States {
		base = "none"
	}
	if still := idle(client); still != "" {
		note = still
	} else if a := advise(opts, st); a != nil {
		note = a.Words(r.named)
	} else {
		note = unheard(client, opts.Level)
	}
	res := &report.Result{
		Type: report.TypeResult, Schema: report.Schema, Package: r.Package, Program: client.Name, Iso: opts.Level.String(), Base: base,
		Engine: string(st.Engine), Why: st.Why, Note: note,
		Histories: st.Histories, EndStates: st.EndStates, Explored: st.Explored, Blocked: st.Blocked, Violations: st.Violations,
		Complete: st.Complete, Stopped: string(st.Stopped),
		Seconds: seconds(st), PeakBytes: st.PeakBytes, Errors: executed.Errors(client, st.Errors),
	}
	if n := r.Options.Interruptions; n != nil && opts.Level.Database() != isolation.NoDatabase {
		if res.Interruptions = *n; st.Complete && st.LeftOut {
			res.Complete, res.Stopped = false, string(work.ByInterruptions)
		}
	}
	if st.Engine == dpor.States {
		res.Outcomes, res.States = st.Histories, st.Explored
	}
	if st.Violations > 0 {
		res.Ask = ask(client, opts.Level)
	}
	if st.Violations == 0 && opts.Level.Database() == isolation.NoDatabase && client.UsesBackend() && client.Model() != "" {
		res.Instead = "leave out " + r.named("iso", "")
	}
	r.Check(client, opts.Level, res)
	return res
}

// idle says which sessions do nothing that could be explored; "" if all do something.
func idle(client *program.Client) string {
	sessions := client.Sessions()
	if client.Final() >= 0 {
		sessions--
	}
	switch names := client.Idle(); len(names) {
	case 0, sessions: // of these the result says that nothing was checked
		return ""
	default:
		return fmt.Sprintf("%s has begun no transaction, in no history", strings.Join(quoted(names), ", "))
	}
}

// unheard says that a transaction asks for a level which does not count; "" if none does.
func unheard(client *program.Client, level isolation.Level) string {
	name, asks := client.Asking()
	if name == "" || level.Database() != isolation.NoDatabase || client.UsesBackend() {
		return ""
	}
	db := isolation.PostgreSQL
	if l, err := isolation.Parse(asks); err == nil {
		db = cmp.Or(l.Database(), db)
	}
	return fmt.Sprintf("transaction %q asks for %s, but at %v all transactions have that level: one of its own counts at a level of a database, such as %v", name, asks, level, db.Default())
}

func quoted(names []string) []string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = strconv.Quote(n)
	}
	return list
}

// ask is how to ask for what the program's database does, PostgreSQL if it has none, at
// an axiomatic level; "" where there is nothing to ask for. A program that fails at
// serializability fails without any concurrency.
func ask(client *program.Client, level isolation.Level) string {
	db := cmp.Or(client.Model(), "postgres")
	switch {
	case level.Database() != isolation.NoDatabase || client.UsesBackend() && client.Model() == "":
		return ""
	case level == isolation.RC:
		return "--db=" + db + ` --iso="read committed"`
	case level == isolation.SI && db == "postgres":
		return `--db=postgres --iso="repeatable read"`
	case level == isolation.SER:
		return ""
	}
	return "--db=" + db + " --iso=all"
}

// seconds are the time of an exploration, in microseconds.
func seconds(st dpor.Stats) float64 { return math.Round(st.Elapsed.Seconds()*1e6) / 1e6 }

// keep lets the exploration go on where another process was, if one was there, and
// tell the sink now and then what is left. With processes elsewhere they are the ones
// that go on; failed is an error that they have met.
func (r *Run) keep(ctx context.Context, client *program.Client, opts *dpor.Options, same *groups, a *alike) (failed, err error) {
	at := Place{client.Name, opts.Level.String()}
	from, failed, err := r.elsewhere(ctx, client, opts, r.Going.at(at), a)
	if err != nil {
		return nil, err
	}
	if from != nil {
		opts.Resume = from.Frontier
		for _, g := range from.Groups {
			found, err := swap.Retrace(client, g.Trace)
			if err != nil {
				return nil, err
			}
			same.add(found, anomaly.CauseOf(found.History, found.Failures, client.Key))
			same.list[len(same.list)-1].count = g.Count
		}
	}
	if r.Going.Every <= 0 {
		return failed, nil
	}
	opts.CheckpointEvery = r.Going.Every
	opts.Checkpoint = func(f *dpor.Frontier) error {
		c := &Checkpoint{Type: TypeCheckpoint, Place: at, Frontier: f}
		for _, g := range same.list {
			c.Groups = append(c.Groups, g.data())
		}
		r.Sink.Event(c)
		return nil
	}
	return failed, nil
}

// at is where a program at a level goes on, or nil.
func (p *Progress) at(at Place) *Checkpoint {
	for i := range p.Resume {
		if p.Resume[i].Place == at {
			return &p.Resume[i]
		}
	}
	return nil
}

// Compare is the task that looks for histories that the level allows and a stronger
// one forbids.
func Compare(stronger isolation.Level) Task {
	return func(ctx context.Context, r *Run, client *program.Client, level isolation.Level) error {
		opts, err := r.Options.At(level)
		if err != nil {
			return err
		}
		opts.All, opts.List = true, true
		c := &report.Comparison{
			Type: report.TypeComparison, Schema: report.Schema, Package: r.Package, Program: client.Name,
			Iso: level.String(), Stronger: stronger.String(),
		}
		var best *minimise.Best
		stats, failed := r.all(ctx, client, opts, func(found *dpor.Found) {
			if isolation.Satisfies(found.History, stronger) {
				return
			}
			c.Differ++
			if best == nil {
				best = minimise.NewBest(found)
			} else {
				best.Offer(found)
			}
		})
		if best != nil {
			c.Shortest = r.source(client, level).Violation(report.Case(*best.Found))
		}
		c.Histories, c.EndStates, c.Complete, c.Stopped = stats.Histories, stats.EndStates, stats.Complete, string(stats.Stopped)
		c.Seconds = seconds(stats)
		r.Sink.Event(c)
		return failed
	}
}

// Replay is the task that runs a saved violation again.
func Replay(saved *replay.File) Task {
	return func(_ context.Context, r *Run, client *program.Client, level isolation.Level) error {
		again, err := replay.Run(client, r.Package, saved.Violation, level)
		if err != nil {
			return err
		}
		r.Sink.Event(again)
		return nil
	}
}
