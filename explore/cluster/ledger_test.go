package cluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/serial"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/report"
)

// An exploration that is only counted. A subtree of n steps is n nodes. Each node is a
// history and may have a subtree of its own. What a part leaves is chance.
type fake struct {
	*rand.Rand
	regions bool // subtrees are regions of a database's states
}

// part explores some of a task: each subtree counts one history and leaves the others.
func (f fake) part(o *explore.Order, whole int) *explore.Part {
	frontier := &dpor.Frontier{Engine: dpor.Swap, Shape: "fake"}
	todo := []work.Subtree{{Kind: "region", Next: whole}}
	if o.Frontier != nil {
		todo = slices.Clone(o.Frontier.Subtrees)
	}
	budget := 1 + f.IntN(20)
	if f.regions {
		frontier.Engine, frontier.Partial = dpor.States, f.IntN(4) == 0
		if budget = len(todo); o.Divide == 0 {
			budget = whole
		}
	}
	for ; len(todo) > 0 && budget > 0; budget-- {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		frontier.Counts.Histories++
		for rest := last.Next - 1; rest > 0; {
			n := 1 + f.IntN(rest)
			todo = append(todo, work.Subtree{Kind: "region", Next: n})
			rest -= n
		}
	}
	if frontier.Subtrees = todo; frontier.Partial {
		frontier.Subtrees = nil
	}
	return &explore.Part{ID: o.ID, Place: o.Place, Frontier: frontier, Groups: []explore.Group{{Cause: "c", Count: frontier.Counts.Histories, Rank: []int{f.IntN(9)}}}}
}

// Whatever is lost, comes twice, comes late or ends its process, the counts are those of
// the whole; and at each moment a checkpoint has all that is not counted.
func TestLedger(t *testing.T) {
	t.Parallel()
	place := explore.Place{Program: "ExploreFake", Iso: "cc"}
	for seed := range uint64(200) {
		f := fake{rand.New(rand.NewPCG(seed, 1)), seed%2 == 1}
		whole := 50 + f.IntN(400)
		l := newLedger(&explore.Checkpoint{Place: place}, 0, 0)
		queue := map[string]*task{} // as the server has them
		var done []*result          // as it has them, and has had
		for step := 0; !l.over(); step++ {
			if step > 100_000 {
				t.Fatalf("seed %d: no end", seed)
			}
			for _, made := range l.give(1 + f.IntN(8)) {
				queue[made.Order.ID] = made
			}
			switch ids := slices.Sorted(maps.Keys(queue)); {
			case len(ids) == 0 || f.IntN(20) == 0:
				queue = maps.Clone(l.open) // the server has lost everything, or it is looked after
			case f.IntN(10) == 0 && len(done) > 0:
				l.receive(done[f.IntN(len(done))]) // again
			default:
				id := ids[f.IntN(len(ids))]
				r := &result{ID: id, Part: f.part(&queue[id].Order, whole)}
				if f.IntN(50) == 0 {
					r.Part.Frontier = nil // stopped before it began
				}
				done = append(done, r)
				if f.IntN(4) > 0 { // or it comes late
					l.receive(r)
				}
				if f.IntN(8) > 0 { // or it is delivered once more
					delete(queue, id)
				}
			}
			if l.begun && f.IntN(5) == 0 {
				l = f.resume(t, l, whole, &queue)
			}
		}
		if n := l.whole.Counts.Histories; n != int64(whole) || l.failed != nil || len(l.groups) != 1 || l.groups[0].Count != n {
			t.Fatalf("seed %d: %d histories, want %d; groups %v, %v", seed, n, whole, l.groups, l.failed)
		}
	}
}

// resume checks that the checkpoint has everything, and sometimes goes on with it, in
// another process.
func (f fake) resume(t *testing.T, l *ledger, whole int, queue *map[string]*task) *ledger {
	t.Helper()
	c := l.checkpoint(time.Second)
	n := c.Frontier.Counts.Histories
	for _, sub := range c.Frontier.Subtrees {
		n += int64(sub.Next)
	}
	if n != int64(whole) {
		t.Fatalf("a checkpoint has %d histories, want %d", n, whole)
	}
	if f.IntN(10) > 0 {
		return l
	}
	*queue = map[string]*task{}
	return newLedger(&c, 0, l.number)
}

// The serial engine's next pass begins when all parts of the last have ended.
func TestLedgerPasses(t *testing.T) {
	l := newLedger(&explore.Checkpoint{}, 0, 0)
	passes := func(news bool) *serial.Passes {
		return &serial.Passes{Known: [][]serial.Access{{{Reads: []string{"x"}}}}, Noted: [][]serial.Access{{{Writes: []string{"y"}}}}, News: news}
	}
	part := func(id string, left int, news bool) *result {
		f := &dpor.Frontier{Engine: dpor.Serial, Passes: passes(news), Counts: work.Counts{Histories: 1}}
		for range left {
			f.Subtrees = append(f.Subtrees, work.Subtree{Kind: "call", Next: 1})
		}
		return &result{ID: id, Part: &explore.Part{ID: id, Frontier: f}}
	}
	l.give(1)
	l.receive(part("1", 2, false))
	if n := len(l.give(2)); n != 2 {
		t.Fatalf("%d tasks, want 2", n)
	}
	l.receive(part("2", 0, true))
	if l.over() || len(l.pool) != 0 {
		t.Fatal("a pass begins before the last has ended")
	}
	l.receive(part("3", 0, false))
	made := l.give(2)
	if len(made) != 1 || made[0].Order.Frontier.Passes.Before == nil || fmt.Sprint(made[0].Order.Frontier.Passes.Known) != "[[{[x] [y]}]]" {
		t.Fatalf("%+v", made)
	}
	l.receive(part(made[0].Order.ID, 0, false))
	if !l.over() || l.whole.Counts.Histories != 4 {
		t.Errorf("%+v", l.whole.Counts)
	}
}

// What comes after the end is dropped, whatever has ended it: neither counts nor lines
// change any more.
func TestLedgerOver(t *testing.T) {
	part := func(id string) *result {
		f := &dpor.Frontier{Engine: dpor.Swap, Counts: work.Counts{Histories: 1}, Subtrees: []work.Subtree{{Kind: "call"}, {Kind: "call"}}}
		return &result{ID: id, Part: &explore.Part{ID: id, Frontier: f}, Lines: []json.RawMessage{json.RawMessage("{}")}}
	}
	for name, end := range map[string]func(*ledger){
		"an error of the program": func(l *ledger) { l.receive(&result{ID: "2", Error: &report.Error{Message: "wrong"}}) },
		"the first violation": func(l *ledger) {
			r := part("2")
			r.Part.Stopped = work.ByViolation
			l.receive(r)
		},
		"the limit": func(l *ledger) {
			r := part("2")
			r.Part.Frontier.Counts.Histories = 100
			l.receive(r)
		},
		"the time": func(l *ledger) { l.stopped = work.ByTimeout },
	} {
		l := newLedger(&explore.Checkpoint{}, 10, 0)
		l.give(1)
		l.receive(part("1"))
		l.give(2)
		end(l)
		open := l.ids()
		if !l.over() || !slices.Contains(open, "3") {
			t.Fatalf("%s: over %v, %v open", name, l.over(), open)
		}
		counts, groups, left := l.whole.Counts, len(l.groups), len(l.checkpoint(0).Frontier.Subtrees)
		if lines := l.receive(part("3")); lines != nil {
			t.Errorf("after %s a result has %d lines", name, len(lines))
		}
		if l.whole.Counts != counts || len(l.groups) != groups || len(l.checkpoint(0).Frontier.Subtrees) != left || !slices.Equal(l.ids(), open) || l.dropped != 1 {
			t.Errorf("after %s a result counts: %+v, before %+v; %d dropped", name, l.whole.Counts, counts, l.dropped)
		}
	}
}

// BenchmarkResult is what a coordinator does for a result, with 20 subtrees.
func BenchmarkResult(b *testing.B) {
	frontier := &dpor.Frontier{Engine: dpor.Swap, Level: "cc", Base: "cc"}
	for i := range 20 {
		sub := work.Subtree{Kind: "rest", Next: i}
		for t := range 8 {
			sub.Txns = append(sub.Txns, []int{t % 4, t, i % (t + 1)})
		}
		frontier.Subtrees = append(frontier.Subtrees, sub)
	}
	l := newLedger(&explore.Checkpoint{Frontier: &dpor.Frontier{Engine: dpor.Swap, Subtrees: []work.Subtree{{Kind: "call"}}}}, 0, 0)
	for b.Loop() {
		t := l.give(1)[0]
		given, err := encode(t)
		if err != nil {
			b.Fatal(err)
		}
		data, err := encode(&result{ID: t.Order.ID, Worker: "host-1", Part: &explore.Part{Frontier: frontier}})
		if err != nil {
			b.Fatal(err)
		}
		r := &result{}
		if err := decode(data, r); err != nil {
			b.Fatal(err)
		}
		l.receive(r)
		l.pool = l.pool[:min(len(l.pool), 1000)]
		b.ReportMetric(float64(len(given)), "B/task")
		b.ReportMetric(float64(len(data)), "B/result")
	}
}
