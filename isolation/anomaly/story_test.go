package anomaly_test

import (
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// A story has every operation once. It extends program order, session order and
// write-read, and says which reads miss a commit. It leaves serial behaviour at the
// first step after which there is no serial order.
func TestStories(t *testing.T) {
	t.Parallel()
	randomly(t, countFlag.N(), func(t *testing.T, h *semantics.History) {
		_, order, ok := semantics.Order(h)
		if !ok {
			if s := anomaly.Schedule(h, nil); len(s.Steps) > 0 {
				t.Errorf("a story of a history without an order: %v", s)
			}
			return
		}
		s := anomaly.Schedule(h, order)
		place := checkOrder(t, h, s.Steps)
		if t.Failed() {
			return
		}
		checkMisses(t, h, s.Steps, place)
		leaves := -1
		for i := range s.Steps {
			if leaves < 0 && !serial(h, s.Steps[:i+1]) {
				leaves = i
			}
		}
		if s.FirstNonSerial != leaves {
			t.Errorf("leaves serial behaviour at %d, want %d: %v", s.FirstNonSerial, leaves, s.Steps)
		}
	})
}

// at names an operation: -1 is the beginning, -2 the end.
type at struct{ txn, event int }

func checkOrder(t *testing.T, h *semantics.History, steps []anomaly.Step) map[at]int {
	place := map[at]int{}
	for i, s := range steps {
		event := map[anomaly.Op]int{anomaly.Begin: -1, anomaly.Access: s.Event, anomaly.End: -2}[s.Op]
		place[at{s.Txn, event}] = i
	}
	n := 0
	before := func(a, b at) {
		i, ok := place[a]
		if j, also := place[b]; !ok || !also || i >= j {
			t.Errorf("%v does not come before %v in %v", a, b, steps)
		}
	}
	for a := 1; a < len(h.Txns); a++ {
		events := len(h.Txns[a].Events)
		n += events + 2
		last := at{a, -1}
		for i := range events {
			before(last, at{a, i})
			last = at{a, i}
			if e := h.Txns[a].Events[i]; e.Kind == semantics.Read && e.From > 0 {
				before(at{e.From, -2}, last)
			}
		}
		before(last, at{a, -2})
		for b := range h.Txns {
			if sessionOrder(h, a, b) {
				before(at{a, -2}, at{b, -1})
			}
		}
	}
	if len(steps) != n {
		t.Errorf("%d steps, want %d", len(steps), n)
	}
	return place
}

func checkMisses(t *testing.T, h *semantics.History, steps []anomaly.Step, place map[at]int) {
	for i, s := range steps {
		latest, when := 0, -1
		want := -1
		if s.Op == anomaly.Access {
			e := h.Txns[s.Txn].Events[s.Event]
			for u := range h.Txns {
				if end, ok := place[at{u, -2}]; ok && end < i && end > when && writes(h, u, e.Var) {
					latest, when = u, end
				}
			}
			if e.Kind == semantics.Read && e.From != semantics.Own && e.From != latest {
				want = latest
			}
		}
		if s.Misses != want {
			t.Errorf("step %d misses %d, want %d: %v", i, s.Misses, want, steps)
		}
	}
}

// serial tries all serial orders of what the steps have done.
func serial(h *semantics.History, steps []anomaly.Step) bool {
	events := map[int]int{}
	for _, s := range steps {
		switch s.Op {
		case anomaly.Begin:
			events[s.Txn] = 0
		case anomaly.Access:
			events[s.Txn]++
		}
	}
	var place func(done []int, state map[behaviour.VarID]int) bool
	place = func(done []int, state map[behaviour.VarID]int) bool {
		if len(done) == len(events) {
			return true
		}
	next:
		for t, n := range events {
			if slices.Contains(done, t) {
				continue
			}
			for u := range events {
				if sessionOrder(h, u, t) && !slices.Contains(done, u) {
					continue next
				}
			}
			after := map[behaviour.VarID]int{}
			for x, u := range state {
				after[x] = u
			}
			for _, e := range h.Txns[t].Events[:n] {
				switch {
				case e.Kind == semantics.Write && h.Txns[t].Status == semantics.Committed:
					after[e.Var] = t
				case e.Kind == semantics.Read && e.From != semantics.Own && e.From != state[e.Var]:
					continue next
				}
			}
			if place(append(done[:len(done):len(done)], t), after) {
				return true
			}
		}
		return false
	}
	return place(nil, map[behaviour.VarID]int{})
}

// The reads of a lost update come before both writes, and the second write is the
// point at which the story is no longer serial.
func TestStoryOfALostUpdate(t *testing.T) {
	h := parse(t, "rx0 wx | rx0 wx")
	s := anomaly.Schedule(h, nil)
	var got []at
	for _, step := range s.Steps {
		if step.Op == anomaly.Access {
			got = append(got, at{step.Txn, step.Event})
		}
	}
	if want := []at{{1, 0}, {2, 0}, {2, 1}, {1, 1}}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	if step := s.Steps[s.FirstNonSerial]; step.Txn != 1 || step.Event != 1 {
		t.Errorf("leaves serial behaviour at %+v", step)
	}
}
