package judge

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference/recorded"
	"github.com/txmc/txmc/program/deadlinetest"
)

// The levels of recorded histories, on histories with unknown fates, lists and repeated values, by the
// definition, which tries all fates, all commit orders and all writers.

const timedStream, registersStream = 101, 102

// time gives the transactions times at which they may have run, mostly in the order in which they did.
func (d *drawing) time(h recorded.Recorded) {
	ran := d.ran
	if ran == nil {
		ran = d.order(h)
	}
	ended := map[int]int{}
	width := 1 + d.IntN(40)
	for place, i := range ran {
		t := &h[i]
		x := &recorded.Interval{Called: 10*place - d.IntN(width), Returned: 10*place + d.IntN(width)}
		if end, ok := ended[t.Session]; ok && x.Called <= end {
			x.Called, x.Returned = end+1, max(end+1, x.Returned)
		}
		ended[t.Session], t.Real = x.Returned, x
	}
}

func timedByDefinition(t *testing.T, count int, stream uint64, levels []isolation.Level, draw func(*drawing) recorded.Recorded) {
	p := newPipe(t, "txmc")
	p.mayGiveUp = true
	satisfied := map[isolation.Level]int{}
	for seed := range uint64(count) {
		d := &drawing{Rand: rand.New(rand.NewPCG(seed, stream)), repeated: seed%2 == 0}
		h := draw(d)
		d.time(h)
		want := h.SatisfiedAt(levels)
		if wrong := p.differ(t, h, want); wrong != "" {
			t.Fatalf("seed %d of stream %d: %s\n%s", seed, stream, wrong, lines(t, h))
		}
		for l, ok := range want {
			if ok {
				satisfied[l]++
			}
		}
	}
	t.Logf("of %d: satisfied %v, not decided %d", count, satisfied, p.undecided)
	if p.undecided > count/50 {
		t.Errorf("%d verdicts of %d histories are undecided", p.undecided, count)
	}
	for _, l := range levels {
		if n := satisfied[l]; min(n, count-n) < count/8 {
			t.Errorf("%v: %d of %d are satisfied", l, n, count)
		}
	}
}

func TestTimedHistoriesByDefinition(t *testing.T) {
	t.Parallel()
	var levels []isolation.Level
	for _, l := range isolation.RecordedLevels() {
		if l != isolation.LIN {
			levels = append(levels, l)
		}
	}
	timedByDefinition(t, deadlinetest.Of(20000, 600), timedStream, levels, func(d *drawing) recorded.Recorded {
		d.all = []string{"q", "r", "x", "q", "r"}
		return d.history()
	})
}

// Registers of which each transaction uses one: linearizable is what strict serializable is.
func TestRegistersInRealTimeByDefinition(t *testing.T) {
	t.Parallel()
	timedByDefinition(t, deadlinetest.Of(20000, 1000), registersStream, []isolation.Level{isolation.LIN, isolation.SSER}, func(d *drawing) recorded.Recorded {
		d.all = []string{"q", "r"}
		h := d.history()
		for i := range h {
			h[i].Ops = slices.DeleteFunc(h[i].Ops, func(o recorded.Op) bool { return o.Object != h[i].Ops[0].Object })
		}
		return h
	})
}

// A transaction of unknown fate that nobody has read from may have aborted, also if it has read a
// repeated value of a list more often than it was appended.
func TestUnknownReadsOfRepeatedListsDoNotCount(t *testing.T) {
	t.Parallel()
	h := recorded.Recorded{
		{Session: 0, Fate: recorded.Unknown, Ops: []recorded.Op{{Kind: recorded.Append, Object: "x", Value: 1}, {Kind: recorded.ReadList, Object: "x", Values: []int{1, 1, 1}}}},
		{Session: 1, Ops: []recorded.Op{{Kind: recorded.ReadList, Object: "x", Values: []int{1}}}},
		{Session: 2, Ops: []recorded.Op{{Kind: recorded.Append, Object: "x", Value: 1}}},
	}
	if wrong := newPipe(t, "txmc").differ(t, h, h.Satisfied()); wrong != "" {
		t.Error(wrong)
	}
}
