package dpor_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// joint explores a program up to symmetry in parts, each of them with a client of its own,
// that know nothing of each other, and joins what they have met. It begins again when
// sessions differ. Some parts are thrown away and explored again.
type joint struct {
	client func() (*program.Client, error)
	opts   dpor.Options
	r      *rand.Rand
	small  bool // parts are as small as can be

	sets  [][]int
	off   []string
	whole dpor.Frontier
	found []representative
	parts int
	late  int // differences that no part has seen
	again int // passes that Join has begun
}

func (j *joint) explore() (stats dpor.Stats, err error) {
	j.opts.List, j.opts.All = true, true
	for apart := true; apart; {
		j.whole, j.found, j.parts = dpor.Frontier{}, nil, 0
		if apart, err = j.attempt(); err != nil {
			return stats, err
		}
	}
	c := j.whole.Counts
	stats = dpor.Stats{Counts: c, Complete: true}
	stats.Symmetry.Histories, stats.Symmetry.Violations = c.Histories, c.Violations
	if a := j.whole.Symmetry; a != nil {
		stats.Symmetry.Histories, stats.Symmetry.Violations, stats.Symmetry.Sets = a.Histories, a.Violations, a.Sets
	}
	stats.Symmetry.Off = j.off
	return stats, nil
}

// attempt explores with the present sets. It reports true when they have changed.
func (j *joint) attempt() (apart bool, err error) {
	var left []work.Subtree
	for j.parts == 0 || len(left) > 0 {
		given, opts := 0, j.opts
		opts.Symmetric = j.sets
		if j.parts > 0 {
			j.r.Shuffle(len(left), func(a, b int) { left[a], left[b] = left[b], left[a] })
			if given = 1 + j.r.IntN(min(len(left), 4)); j.small {
				given = 1
			}
			opts.Resume = j.whole.Of(left[:given])
		}
		part, found, err := j.part(opts)
		if err != nil {
			return false, err
		}
		if part.Symmetry != nil && part.Symmetry.Apart != nil {
			j.tell(part.Symmetry.Apart)
			return true, nil
		}
		if j.r.IntN(4) == 0 {
			continue // its process was killed
		}
		j.parts++
		left, j.found = append(left[given:], j.whole.Take(part)...), append(j.found, found...)
		if j.whole.Subtrees = left; len(left) > 0 {
			continue
		}
		if j.whole.Symmetry == nil {
			if j.whole.NextPass() {
				left = j.whole.Subtrees
			}
			continue
		}
		c, err := j.client()
		if err != nil {
			return false, err
		}
		joined, err := dpor.Join(c, &j.whole)
		c.Park()
		switch {
		case err != nil:
			return false, err
		case joined.Apart != nil:
			j.late++
			j.tell(joined.Apart)
			return true, nil
		case joined.Pass != nil:
			j.again++
			j.whole, left = *joined.Pass, joined.Pass.Subtrees
		}
	}
	return false, nil
}

func (j *joint) tell(d *program.Difference) {
	j.sets, j.off = orbit.Separate(j.sets, d), append(j.off, d.What)
}

// part explores a part.
func (j *joint) part(opts dpor.Options) (part *dpor.Frontier, found []representative, err error) {
	client, err := j.client()
	if err != nil {
		return nil, nil, err
	}
	for i := range j.r.IntN(4) {
		client.Variable(fmt.Sprintf("unused%d", i))
	}
	opts.Workers, opts.MaxHistories, opts.Part = 1+j.r.IntN(3), int64(1+j.r.IntN(10)), &dpor.Part{}
	if j.small {
		opts.Workers, opts.MaxHistories = 1, 1
	}
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
		found = append(found, representative{h, f.Orbit})
	}
	if part == nil {
		return nil, nil, fmt.Errorf("a part that was stopped by %q says nothing", x.Stats().Stopped)
	}
	return part, found, nil
}

// TestJoinedSymmetry: parts of an exploration up to symmetry that know nothing of each other
// find each orbit once, with its size, and together they have the counts of one. Where
// sessions differ, that is noticed, also where each part by itself does not notice it.
func TestJoinedSymmetry(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(seed(), 5))
	most, apart, late, again, n := 0, 0, 0, 0, 0
	enough := func() bool { return most >= 5 && apart > 0 }
	for p, which := range alike(t, "joined symmetry", deadlinetest.Of(portion(40), portion(16)), equals, enough) {
		n++
		all := histories(p, 0)
		for i, l := range isolation.Levels() {
			opts := dpor.ShareAtOnce(dpor.Options{Level: l})
			if (n+i)%4 == 0 {
				opts = dpor.LearnNothing(opts)
			}
			if (n+i)%3 == 0 {
				opts.Engine = dpor.Swap
			}
			j := &joint{client: func() (*program.Client, error) { return newClient(p) }, opts: opts, r: r, sets: which}
			stats, err := j.explore()
			if err == nil {
				err = coverOrbits(j.found, all, stats, l)
			}
			client, _ := newClient(p)
			opts.Workers, opts.Symmetric = 1, which
			one, oneErr := upToSymmetry(client, all, opts)
			if err == nil {
				err = oneErr
			}
			if a, b := one, stats; err == nil && (len(a.Symmetry.Off) == 0 || len(b.Symmetry.Off) == 0) &&
				(counts(a) != counts(b) || !reflect.DeepEqual(a.Symmetry, b.Symmetry)) {
				err = fmt.Errorf("%v, %+v in one; %v, %+v in %d parts", counts(a), a.Symmetry, counts(b), b.Symmetry, j.parts)
			}
			if err != nil {
				t.Fatalf("%v at %v (-seed=%d): %v", which.of(p), l, seed(), err)
			}
			most, late, again = max(most, j.parts), late+j.late, again+j.again
			if len(stats.Symmetry.Off) > 0 {
				apart++
			}
		}
	}
	t.Logf("at most %d parts; %d explorations fell apart, %d differences in joining; %d passes", most, apart, late, again)
}

// toldTogether has two sessions that differ in what they write after two different answers.
// After one of them alone, either is a renaming of the other.
func toldTogether(p *program.Program) {
	for _, key := range []string{"coin", "x", "k", "m", "n"} {
		program.NewVar(p, key, 0)
	}
	p.Session("coin", func(s *program.Session) {
		s.Txn("toss", func(tx *program.Tx) error {
			tx.Write("coin", 1)
			return nil
		})
	})
	p.Session("w", func(s *program.Session) {
		s.Txn("write", func(tx *program.Tx) error {
			tx.Write("x", 1+tx.Read("coin").(int))
			return nil
		})
	})
	for i, keys := range [][]string{{"k", "k"}, {"m", "n"}} {
		p.Session(fmt.Sprint("s", i), func(s *program.Session) {
			s.Txn("look", func(tx *program.Tx) error {
				if seen := tx.Read("x").(int); seen > 0 {
					tx.Write(keys[seen-1], 1)
				}
				return nil
			})
		})
	}
}

// TestJoinedApart: a difference that no part can see by itself is seen when they are
// joined, and everything is explored again.
func TestJoinedApart(t *testing.T) {
	t.Parallel()
	client := func() (*program.Client, error) {
		return program.NewClient("ExploreTest", toldTogether, program.Options{})
	}
	late := 0 // differences that no part has seen
	for k := range deadlinetest.Until(t, 5, func() bool { return late > 0 }) {
		c, err := client()
		if err != nil {
			t.Fatal(err)
		}
		opts := dpor.LearnNothing(dpor.ShareAtOnce(dpor.Options{Level: isolation.SER, Engine: dpor.Serial}))
		opts.All, opts.Workers = true, 1
		one, err := drain(c, opts)
		if err != nil {
			t.Fatal(err)
		}
		j := &joint{client: client, opts: opts, r: rand.New(rand.NewPCG(uint64(k), 1)), small: true, sets: [][]int{{2, 3}}}
		stats, err := j.explore()
		if err != nil {
			t.Fatal(err)
		}
		if stats.Histories != one.Histories || len(j.found) != int(one.Histories) || len(stats.Symmetry.Sets) > 0 || len(stats.Symmetry.Off) != 1 {
			t.Errorf("%d histories, %d handed on, %+v, want %d", stats.Histories, len(j.found), stats.Symmetry, one.Histories)
		}
		late += j.late
	}
	t.Logf("%d times in joining", late)
}
