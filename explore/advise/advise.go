package advise

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// Task is the task that looks for the weakest levels, among those given. Of these it takes the
// levels of the database on which the program is explored, or else the axiomatic ones.
func Task(among []isolation.Level) explore.Task {
	return func(ctx context.Context, r *explore.Run, client *program.Client, level isolation.Level) error {
		db := level.Database()
		if db == isolation.InnoDB && client.UsesBackend() {
			return &behaviour.Error{Kind: behaviour.Misuse, Program: client.Name, Message: "levels of single transactions in SQL are known of PostgreSQL alone: compare whole levels by txmc levels"}
		}
		levels := slices.DeleteFunc(slices.Clone(among), func(l isolation.Level) bool { return l.Database() != db })
		isolation.WeakestFirst(levels)
		opts, err := r.Options.At(levels[0])
		if err != nil {
			return err
		}
		r.CheckSerial(ctx, client, levels[0])
		a := &adviser{ctx: ctx, run: r, client: client, opts: opts, levels: levels, known: map[string]verdict{}}
		if a.oracle = a.axiomatic(); db != isolation.NoDatabase {
			a.oracle = a.database()
		}
		advice, err := a.advise()
		if err == nil {
			advice.Checked, advice.Unchecked = r.Checked(client, levels[0])
			r.Sink.Event(advice)
		}
		return err
	}
}

// oracle decides assignments.
type oracle interface {
	// seen reports whether a violation that was found before is one of the assignment too.
	seen(levelOf) (bool, error)
	// explore decides by an exploration.
	explore(levelOf) (verdict, error)
	// costs says what an assignment comes to at which all holds.
	costs(levelOf, *report.Assignment) error
	// names are the transactions that are known.
	names() []string
	// failure is the last assertion that has failed, nil for none.
	failure() *behaviour.Failure
}

// levelOf gives the level of a transaction by its name; the weakest of one that is not
// there.
type levelOf map[string]isolation.Level

// adviser looks for assignments of a program.
type adviser struct {
	oracle
	ctx    context.Context
	run    *explore.Run
	client *program.Client
	opts   dpor.Options
	levels []isolation.Level // weakest first

	known            map[string]verdict
	explored, reused int
}

// advise searches. When a transaction becomes known by an exploration, the search begins
// again: what was decided holds with the new one at the weakest level.
func (a *adviser) advise() (*report.Advice, error) {
	if _, err := a.judge(nil, nil); err != nil { // by which the transactions are known
		return nil, err
	}
	for {
		names := a.names()
		grown := false
		found, err := space{len(names), len(a.levels)}.all(func(x assignment) (verdict, error) {
			if grown {
				return open, nil
			}
			v, err := a.judge(names, x)
			grown = len(a.names()) > len(names)
			return v, err
		})
		if err != nil {
			return nil, err
		}
		if !grown {
			return a.report(names, found)
		}
	}
}

// judge decides an assignment.
func (a *adviser) judge(names []string, x assignment) (verdict, error) {
	key := x.key(names)
	if v, ok := a.known[key]; ok {
		return v, nil
	}
	if a.ctx.Err() != nil {
		return open, nil
	}
	levels := a.of(names, x)
	v := breaks
	again, err := a.seen(levels)
	switch {
	case err != nil:
		return open, err
	case again:
		a.reused++
	default:
		a.explored++
		if v, err = a.explore(levels); err != nil {
			return open, err
		}
	}
	if known := len(names); known > 0 && len(a.names()) > known {
		return v, nil // a transaction has become known: what level it had is not in the key
	}
	a.known[key] = v
	return v, nil
}

func (a *adviser) of(names []string, x assignment) levelOf {
	levels := levelOf{}
	for i, l := range x {
		levels[names[i]] = a.levels[l]
	}
	return levels
}

// report puts what was found into words, what is cheapest first.
func (a *adviser) report(names []string, found *search) (*report.Advice, error) {
	size := space{len(names), len(a.levels)}.size()
	out := &report.Advice{
		Type: report.TypeAdvice, Schema: report.Schema, Package: a.run.Package, Program: a.client.Name, Transactions: append([]string{}, names...),
		Assignments: []report.Assignment{}, Explored: a.explored, Reused: a.reused, All: size, Many: size > most, One: found.one, Complete: !found.opened,
	}
	for _, l := range a.levels {
		out.Levels = append(out.Levels, l.String())
	}
	for _, x := range found.minimal {
		levels := a.of(names, x)
		r := report.Assignment{}
		for i, l := range x {
			r.Transactions = append(r.Transactions, report.AssignedLevel{Name: names[i], Iso: a.levels[l].String()})
		}
		if err := a.costs(levels, &r); err != nil {
			return nil, err
		}
		out.Assignments = append(out.Assignments, r)
	}
	slices.SortStableFunc(out.Assignments, func(x, y report.Assignment) int { return cmp.Compare(x.Failing(), y.Failing()) })
	if f := a.failure(); f != nil && len(found.minimal) == 0 {
		if out.Failure = f.Kind.String(); f.Name != "" {
			out.Failure += fmt.Sprintf(" %q", f.Name)
		}
		out.At, out.Message = f.At.String(), f.Message
	}
	return out, nil
}
