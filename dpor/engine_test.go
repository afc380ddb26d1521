package dpor_test

import (
	"context"
	"fmt"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation/reference"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// listing is what an exploration gives: each history with how often it came.
type listing struct {
	times     map[string]int
	histories map[string]*reference.History
	stats     dpor.Stats
}

func newClient(p *prog) (*program.Client, error) {
	return program.NewClient("ExploreTest", compile(p), program.Options{})
}

// tooOften is how often no history of a test program comes, even by dfs.
const tooOften = 2000

// list runs an exploration to its end. It checks what must hold of each history
// found and of the counts, whatever the algorithm.
func list(client *program.Client, opts dpor.Options) (*listing, error) {
	opts.List, opts.All = true, true
	out := &listing{times: map[string]int{}, histories: map[string]*reference.History{}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	x := dpor.Explore(ctx, client, opts)
	found := int64(0)
	for f, err := range x.Histories() {
		if err != nil {
			return nil, err
		}
		h, err := toReference(f.History, client)
		if err != nil {
			return nil, err
		}
		if err := ordered(f); err != nil {
			return nil, err
		}
		key := h.String()
		out.histories[key] = h
		out.times[key]++
		if found++; out.times[key] == tooOften {
			cancel() // an exploration that is not optimal need not end
		}
	}
	out.stats = x.Stats()
	switch s := out.stats; {
	case s.Stopped == work.ByInterrupt:
		return nil, out.once()
	case !s.Complete || s.Stopped != "":
		return nil, fmt.Errorf("not complete: %q", s.Stopped)
	case s.Histories != found:
		return nil, fmt.Errorf("%d histories counted, %d found", s.Histories, found)
	case s.EndStates < found:
		return nil, fmt.Errorf("%d end states, %d histories", s.EndStates, found)
	case s.Explored < s.EndStates:
		return nil, fmt.Errorf("%d calls of explore, %d end states", s.Explored, s.EndStates)
	}
	return out, nil
}

// ordered checks that f.Order lists all transactions of f.History in an order
// that extends so and wr, and that every session has an end.
func ordered(f *dpor.Found) error {
	h := f.History
	place := make([]int, len(h.Txns))
	sorted := slices.Sorted(slices.Values(f.Order))
	for i := range h.Txns {
		if len(sorted) != len(h.Txns) || sorted[i] != i || f.Order[0] != 0 {
			return fmt.Errorf("order %v of %d transactions", f.Order, len(h.Txns))
		}
		place[f.Order[i]] = i
	}
	for i, t := range h.Txns {
		for _, e := range t.Events {
			if e.From > 0 && place[e.From] >= place[i] {
				return fmt.Errorf("order %v: %d reads from %d", f.Order, i, e.From)
			}
		}
		for j, u := range h.Txns {
			before := j > 0 && i > 0 && (u.Session == t.Session && u.Index < t.Index || t.Session == h.Final && u.Session != t.Session)
			if before && place[j] >= place[i] {
				return fmt.Errorf("order %v: session order has %d before %d", f.Order, j, i)
			}
		}
	}
	if len(f.Ends) != h.Sessions || slices.Contains(f.Ends, nil) {
		return fmt.Errorf("%d ends of %d sessions", len(f.Ends), h.Sessions)
	}
	for s, end := range f.Ends {
		if end.Kind != behaviour.End || int(end.Session) != s {
			return fmt.Errorf("session %d ends at a %v of session %d", s, end.Kind, end.Session)
		}
	}
	return nil
}

// equals compares a listing with the histories that the reference allows.
func (l *listing) equals(want map[string]bool) error {
	for key := range want {
		if l.times[key] == 0 {
			return fmt.Errorf("of %d histories %d found; missing: %s", len(want), len(l.times), key)
		}
	}
	for key := range l.times {
		if !want[key] {
			return fmt.Errorf("of %d histories %d found; extra: %s", len(want), len(l.times), key)
		}
	}
	return nil
}

// once checks that no history was repeated.
func (l *listing) once() error {
	for key, times := range l.times {
		if times > 1 {
			return fmt.Errorf("found %d times: %s", times, key)
		}
	}
	return nil
}

// count returns the number of histories of a program at a level, all different.
func count(t *testing.T, p *prog, opts dpor.Options) dpor.Stats {
	t.Helper()
	client, err := newClient(p)
	if err != nil {
		t.Fatal(err)
	}
	found, err := list(client, opts)
	if err == nil {
		err = found.once()
	}
	if err != nil {
		t.Fatalf("%v at %v over %v: %v", p, opts.Level, opts.Base, err)
	}
	return found.stats
}

// at is explore-ce at a level, or explore-ce* over the strongest base.
func at(l isolation.Level) dpor.Options {
	return dpor.Options{Level: l, Base: l.Base()}
}
