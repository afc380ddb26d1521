package dpor_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
)

// divided explores p in parts, as several processes do. Each part gets some of the
// subtrees that are left, in any order, with a client of its own. It ends after a few
// histories. The result of some parts is thrown away and the part explored again.
func divided(p *prog, opts dpor.Options, r *rand.Rand) (out *listing, parts int, err error) {
	opts.List, opts.All = true, true
	out = &listing{times: map[string]int{}, histories: map[string]*reference.History{}}
	whole := &dpor.Frontier{}
	var left []work.Subtree
	for parts = 0; parts == 0 || len(left) > 0; {
		given := 0
		if parts > 0 {
			r.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
			given = 1 + r.IntN(min(len(left), 4))
			opts.Resume = whole.Of(left[:given])
		}
		opts.Workers, opts.MaxHistories = 1+r.IntN(3), int64(1+r.IntN(20))
		part, histories, err := explorePart(p, opts)
		if err != nil {
			return nil, 0, err
		}
		if r.IntN(4) == 0 {
			continue // its process was killed
		}
		parts++
		left = append(left[given:], whole.Take(part)...)
		for _, h := range histories {
			out.times[h]++
		}
		if whole.Subtrees = left; len(left) == 0 && whole.NextPass() {
			left = whole.Subtrees
		}
	}
	out.stats = dpor.Stats{Counts: whole.Counts}
	return out, parts, nil
}

// explorePart explores a part in a process's worth of its own.
func explorePart(p *prog, opts dpor.Options) (part *dpor.Frontier, histories []string, err error) {
	client, err := newClient(p)
	if err != nil {
		return nil, nil, err
	}
	opts.Part = &dpor.Part{}
	opts.Checkpoint = sqltest.Decoded(&part)
	x := dpor.Explore(context.Background(), client, opts)
	for f, err := range x.Histories() {
		if err != nil {
			return nil, nil, err
		}
		h, err := toReference(f.History, client)
		if err != nil {
			return nil, nil, err
		}
		histories = append(histories, h.String())
	}
	if part == nil {
		return nil, nil, fmt.Errorf("a part that was stopped by %q says nothing", x.Stats().Stopped)
	}
	return part, histories, nil
}

// An exploration is divided among processes. However it is divided, and whatever the
// engine, it finds the same histories, each once, with the same counts.
func TestPartsEqualOne(t *testing.T) {
	t.Parallel()
	programs := []*prog{
		parse("inc x ; inc x | inc x ; inc x | inc x"),
		parse("w y | w y ; when 10 if 10 { inc y } | w y ; w y 1 r x | r y ; if 0 { w x 2 }"),
		parse("w x ; r y ; w x | w y ; r x ; w y | w x ; r y"),
		parse("inc x ; inc x | inc x"), // these are small without reduction, too
		parse("w x ; r y | w y ; r x | r x"),
	}
	r := rand.New(rand.NewPCG(seed(), 3))
	most, baselines := 0, 0
	enough := func() bool { return most >= 20 && baselines > 0 }
	random := programsUntil(t, "parts", portion(24), wide, enough)
	for p := range concat(slices.Values(programs), random) {
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, opts := range []dpor.Options{
			dpor.ShareAtOnce(at(isolation.RC)), dpor.ShareAtOnce(at(isolation.CC)), dpor.ShareAtOnce(at(isolation.SI)),
			dpor.ShareAtOnce(serially(isolation.PC)), dpor.ShareAtOnce(dpor.LearnNothing(serially(isolation.SI))), dpor.ShareAtOnce(dpor.LearnNothing(serially(isolation.SER))),
			{Level: isolation.CC, Base: isolation.CC, DFS: true}, {Level: isolation.SER, Base: isolation.CC, DFS: true},
			{Level: isolation.SI, Base: isolation.CC, Engine: dpor.Auto},
		} {
			one, err := list(client, opts)
			if err != nil && opts.DFS {
				continue // it repeats histories more often than list endures
			}
			if err != nil {
				t.Fatal(err)
			}
			if one.stats.Histories > 400 {
				continue // each of the few histories is a part
			}
			got, parts, err := divided(p, opts, r)
			if err != nil {
				t.Fatalf("%s at %s, engine %q, DFS %v (seed %d): %v", p, opts.Level, opts.Engine, opts.DFS, seed(), err)
			}
			most = max(most, parts)
			if opts.DFS && parts > 5 {
				baselines++
			}
			if a, b := counts(got.stats), counts(one.stats); a != b {
				t.Fatalf("%s at %s, engine %q, DFS %v (seed %d): %v in %d parts, %v in one", p, opts.Level, opts.Engine, opts.DFS, seed(), a, parts, b)
			}
			if len(got.times) != len(one.times) {
				t.Fatalf("%s at %s (seed %d): %d histories in parts, %d in one", p, opts.Level, seed(), len(got.times), len(one.times))
			}
			for h, n := range got.times {
				if n != one.times[h] {
					t.Fatalf("%s at %s, DFS %v (seed %d): %d times in parts, %d in one: %s", p, opts.Level, opts.DFS, seed(), n, one.times[h], h)
				}
			}
		}
	}
	t.Logf("at most %d parts; %d explorations without reduction were divided", most, baselines)
}
