package explore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/explore/executed"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// Several processes explore a program at a level when one of them hands out parts of
// its frontier (dpor.Part). Each takes Orders. What a part has counted, found and left
// is one event, a Part: it is taken as a whole, or not at all.

// TypePart is the type of a [Part].
const TypePart = "part"

// Order says which part is to be explored.
type Order struct {
	ID string `json:"id"`
	Place
	Frontier     *dpor.Frontier `json:"frontier,omitempty"` // nil: the beginning, for the first part
	Time         time.Duration  `json:"time,omitempty"`     // after which it stops, in ns; 0: no limit
	Calls        int64          `json:"calls,omitempty"`    // likewise, calls of explore
	Divide       int64          `json:"divide,omitempty"`   // at a level of a database: see dpor.Part
	MaxHistories int64          `json:"max_histories,omitempty"`

	// Symmetric are the sets of sessions that the first part takes for alike.
	Symmetric [][]int `json:"symmetric,omitempty"`

	Stop <-chan struct{} `json:"-"` // closed: it stops soon, with what it has come to
}

// Part is what an Order has come to. The lines that it has found, listings and
// violations, are the events before it.
type Part struct {
	Type string `json:"type"` // "part"
	ID   string `json:"id"`
	Place
	// Frontier has the counts of the part and the subtrees that it has left; nil when it
	// was stopped before it began.
	Frontier *dpor.Frontier `json:"frontier,omitempty"`
	Groups   []Group        `json:"groups,omitempty"` // the violations, by cause; the first where the search stops at it
	// Errors are those of the database that the outcomes have met.
	Errors  []report.Expected `json:"errors,omitempty"`
	Stopped work.Reason       `json:"stopped,omitempty"`
}

// Explore is the task of an Order.
func (o *Order) Explore(ctx context.Context, r *Run, client *program.Client, level isolation.Level) error {
	opts, err := r.Options.At(level)
	if err != nil {
		return err
	}
	r.CheckSerial(ctx, client, level)
	part := &Part{Type: TypePart, ID: o.ID, Place: o.Place}
	opts.All, opts.List = r.Scope.All, r.Scope.List
	opts.Resume, opts.MaxHistories = o.Frontier, o.MaxHistories
	opts.Part = &dpor.Part{Calls: o.Calls, Time: o.Time, Stop: o.Stop}
	if opts.Symmetric = o.Symmetric; level.Database() != isolation.NoDatabase {
		opts.Part.Divide = o.Divide
	}
	opts.Checkpoint = func(f *dpor.Frontier) error { part.Frontier = f; return nil }
	var found finder = &searching{r: r, client: client, src: r.source(client, level)}
	if level.Database() != isolation.NoDatabase {
		f := &finding{r: r, ctx: ctx, src: r.source(client, level), client: client, opts: opts}
		if err := f.know(o.Frontier); err != nil {
			return err
		}
		found = f
	}
	stats, err := r.all(ctx, client, opts, found.receive)
	if err == nil {
		part.Groups, err = found.causesFound()
	}
	if err != nil {
		return err
	}
	part.Stopped, part.Errors = stats.Stopped, executed.Errors(client, stats.Errors)
	r.Sink.Event(part)
	return nil
}

// finder takes what an exploration yields, and says which violations there were.
type finder interface {
	receive(*dpor.Found)
	causesFound() ([]Group, error)
}

// searching is the finder of axiomatic levels.
type searching struct {
	r      *Run
	client *program.Client
	src    report.Source
	same   groups
}

func (s *searching) receive(found *dpor.Found) {
	if s.r.Scope.List {
		s.r.Sink.Event(s.src.Listed(report.Case(*found)))
	}
	switch {
	case len(found.Failures) == 0:
	case s.r.Scope.All && !s.r.Scope.Group:
		v := s.src.Violation(report.Case(*found))
		s.same.add(found, v.Cause)
		s.r.Sink.Event(v)
	default:
		s.same.add(found, anomaly.CauseOf(found.History, found.Failures, s.client.Key))
	}
}

func (s *searching) causesFound() (list []Group, err error) {
	for _, g := range s.same.list {
		list = append(list, g.data())
	}
	return list, nil
}

// causesFound lists what was found at a level of a database.
func (f *finding) causesFound() (list []Group, err error) {
	if f.first != nil {
		f.add(f.first)
	}
	for i := range f.causes {
		list = append(list, f.causes[i].data())
	}
	return list, f.err
}

// Join puts groups of another part to those of the same causes: their numbers are
// added, and the smallest violation is kept.
func Join(groups, more []Group) []Group {
	for _, g := range more {
		i := slices.IndexFunc(groups, func(old Group) bool { return old.Cause == g.Cause })
		if i < 0 {
			groups = append(groups, g)
			continue
		}
		old := &groups[i]
		count := old.Count + g.Count
		if slices.Compare(g.Rank, old.Rank) < 0 {
			*old = g
		}
		old.Count = count
	}
	return groups
}

// JoinErrors puts errors of another part to those of the same code.
func JoinErrors(errors, more []report.Expected) []report.Expected {
	for _, e := range more {
		i := slices.IndexFunc(errors, func(old report.Expected) bool { return old.Code == e.Code && old.Commit == e.Commit })
		if i < 0 {
			errors = append(errors, e)
			continue
		}
		old := &errors[i]
		old.Outcomes += e.Outcomes
		for _, name := range e.Transactions {
			if !slices.Contains(old.Transactions, name) {
				old.Transactions = append(slices.Clip(old.Transactions), name)
			}
		}
	}
	slices.SortFunc(errors, func(a, b report.Expected) int {
		number := map[bool]int{true: 1}
		return cmp.Or(cmp.Compare(a.Code, b.Code), number[a.Commit]-number[b.Commit])
	})
	return errors
}

// size estimates how large an exploration is that other processes do, if that is wanted,
// until the result is called.
func (r *Run) size(ctx context.Context, client *program.Client, opts dpor.Options, from *Checkpoint) (stop func()) {
	if !r.Estimate || opts.Level.Database() != isolation.NoDatabase || opts.DFS {
		return func() {}
	}
	if f := from.Frontier; f != nil && !f.Untouched {
		opts.Engine = f.Engine
	}
	opts.Workers, opts.Estimate = 1, true
	ctx, cancel := context.WithCancel(ctx)
	x := dpor.Explore(ctx, client, opts)
	r.Sink.Turn(client.Name, opts.Level.String(), x)
	over := make(chan struct{})
	go func() {
		defer close(over)
		x.Size(ctx)
	}()
	const stuck = 2 * time.Second // client code that does not return keeps nobody waiting
	return func() {
		cancel()
		select {
		case <-over:
		case <-time.After(stuck):
		}
	}
}
