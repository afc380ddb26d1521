package mock

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/semantics"
)

var (
	seedFlag  = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the random programs")
	runsFlag  = flag.Int("runs", 300, "random runs at each level")
	smallFlag = deadlinetest.Flag("small", 12, 4, "random programs of which everything has to be served, at each level")
)

// step is an operation of a program: r and w, or l for a locking read.
type step struct {
	do rune
	x  int
}

// programs are transactions by session.
type clients [][][]step

func randomClients(r *rand.Rand, sessions, txns, ops, vars int, kinds string) clients {
	p := make(clients, sessions)
	for i := range p {
		for range 1 + r.IntN(txns) {
			var t []step
			for range 1 + r.IntN(ops) {
				t = append(t, step{rune(kinds[r.IntN(len(kinds))]), r.IntN(vars)})
			}
			p[i] = append(p[i], t)
		}
	}
	return p
}

func (p clients) String() string {
	var b strings.Builder
	for i, txns := range p {
		if i > 0 {
			b.WriteString(" | ")
		}
		for j, t := range txns {
			if j > 0 {
				b.WriteString(" ; ")
			}
			for _, s := range t {
				fmt.Fprintf(&b, "%c%d ", s.do, s.x)
			}
		}
	}
	return b.String()
}

// run runs the programs on a store, in a random interleaving. Transactions that fail
// are not tried again.
func (p clients) run(t *testing.T, r *rand.Rand, o Options) []*Transaction {
	t.Helper()
	all, _ := p.timed(t, r, o, 0)
	return all
}

// timed is run, with the sessions serializable that are bits of serial. It also says, by the numbers of
// transactions, how many had ended when each began.
func (p clients) timed(t *testing.T, r *rand.Rand, o Options, serial int) (all []*Transaction, begun map[int64]int) {
	t.Helper()
	begun = map[int64]int{}
	s, err := NewKV(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Record(func(x *Transaction) { all = append(all, x) })
	impatient, cancel := context.WithCancel(context.Background())
	cancel()
	sessions := make([]*Session, len(p))
	at := make([]struct{ txn, op int }, len(p))
	for i := range p {
		sessions[i] = s.Session(fmt.Sprint(i))
		sessions[i].Serializable(serial>>i&1 == 1)
	}
	last, stay := 0, r.Float64() // from time to time a transaction runs alone
	for {
		var going []int
		for i := range p {
			if at[i].txn < len(p[i]) {
				going = append(going, i)
			}
		}
		if len(going) == 0 {
			break
		}
		i := going[r.IntN(len(going))]
		if at[last].op > 0 && r.Float64() < stay {
			i = last
		}
		last = i
		c, a := sessions[i], &at[i]
		txn := p[i][a.txn]
		if a.op == 0 && !c.Open() {
			if err := c.Begin(); err != nil {
				t.Fatal(err)
			}
			begun[c.now.number] = len(all)
		}
		err := error(nil)
		switch {
		case a.op == len(txn):
			if err = c.Commit(); err == nil {
				a.txn, a.op = a.txn+1, 0
				continue
			}
		case txn[a.op].do == 'w':
			err = c.Write(fmt.Sprint(txn[a.op].x), i)
		case txn[a.op].do == 'l':
			if !c.TryLock(fmt.Sprint(txn[a.op].x)) {
				last = r.IntN(len(p))
				if blocked(s, p, sessions, at) {
					_, err = c.Lock(impatient, fmt.Sprint(txn[a.op].x))
					break
				}
				continue
			}
			_, err = c.Lock(context.Background(), fmt.Sprint(txn[a.op].x))
		default:
			if _, err = c.Read(fmt.Sprint(txn[a.op].x)); err != nil && o.Window == 0 && serial == 0 && o.Level.CausallyExtensible() {
				t.Fatalf("%v: a read has no answer: %v", p, err)
			}
		}
		a.op++
		if err != nil {
			var e *Error
			if !errors.As(err, &e) && !errors.Is(err, context.Canceled) {
				t.Fatalf("%v: %v", p, err)
			}
			if err := c.Rollback(); err != nil && c.Open() {
				t.Fatal(err)
			}
			a.txn, a.op = a.txn+1, 0
		}
	}
	return all, begun
}

// blocked reports whether all sessions that have not ended wait for locks.
func blocked(s *KV, p clients, sessions []*Session, at []struct{ txn, op int }) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, a := range at {
		if a.txn == len(p[i]) {
			continue
		}
		t := p[i][a.txn]
		if a.op == len(t) || t[a.op].do != 'l' {
			return false
		}
		holder := s.locks[s.items.number(fmt.Sprint(t[a.op].x))]
		if holder == nil || holder == sessions[i].now {
			return false
		}
	}
	return true
}

// historyOf is the history of the transactions that ended, in the words of the
// reference; those that did nothing are left out where only asked to be.
func historyOf(t *testing.T, sessions int, all []*Transaction) *reference.History {
	t.Helper()
	h := &reference.History{Sessions: make([][]reference.Log, sessions), Final: -1}
	writer := map[int64]reference.ID{}
	slices.SortStableFunc(all, func(a, b *Transaction) int { return int(a.Number - b.Number) })
	index := map[*Transaction]reference.ID{}
	for _, x := range all {
		var i int
		fmt.Sscan(x.Session, &i)
		id := reference.ID{Session: i, Index: len(h.Sessions[i])}
		index[x] = id
		h.Sessions[i] = append(h.Sessions[i], reference.Log{Status: semantics.Aborted})
		for _, e := range x.Events {
			if e.Write {
				writer[e.Version] = id
			}
		}
	}
	for _, x := range all {
		id := index[x]
		l := &h.Sessions[id.Session][id.Index]
		if x.Committed {
			l.Status = semantics.Committed
		}
		for _, e := range x.Events {
			var v int
			fmt.Sscan(e.Key, &v)
			st := reference.Step{Write: e.Write, Var: v, Own: e.Own, Lock: e.Lock, From: reference.Init}
			if !e.Write && !e.Own && e.Version > 0 {
				from, ok := writer[e.Version]
				if !ok {
					t.Fatalf("a read of version %d, which nobody has written", e.Version)
				}
				st.From = from
			}
			l.Steps = append(l.Steps, st)
		}
	}
	return h
}

// Every history that is served is within the level, by definition.
func TestWithinLevel(t *testing.T) {
	for _, l := range isolation.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(*seedFlag, uint64(l)))
			counts := map[string]int{}
			for range deadlinetest.Until(t, *runsFlag, func() bool { return l == isolation.SER || counts["ser"] > 0 }) {
				kinds := []string{"rw", "rrw", "rwl", "lw"}[r.IntN(4)]
				p := randomClients(r, 2+r.IntN(3), 2, 3, 2+r.IntN(2), kinds)
				if r.IntN(4) == 0 { // more sessions, which do less
					p = randomClients(r, 5+r.IntN(4), 1, 2, 2, kinds)
				}
				all, _ := p.timed(t, r, Options{Level: l, Seed: r.Uint64(), Fresh: float64(r.IntN(3)) / 2, BySession: r.IntN(2) == 0, DropAborted: r.IntN(2) == 0, Latest: float64(r.IntN(3)) / 4, NoLocks: r.IntN(4) == 0, Weak: Weak(r.IntN(3))}, r.IntN(2)*r.IntN(8))
				h := historyOf(t, len(p), all)
				if !h.Satisfies(l) {
					t.Fatalf("%v: not within %s: %v (-seed=%d)", p, l, h, *seedFlag)
				}
				for _, stronger := range isolation.Levels() {
					if !h.Satisfies(stronger) {
						counts[stronger.String()]++
					}
				}
			}
			t.Logf("histories outside the levels: %v", counts)
		})
	}
}

// Every history of small programs that the level allows is served sooner or later,
// and no other.
func TestEverythingIsServed(t *testing.T) {
	for _, l := range isolation.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(*seedFlag, 100+uint64(l)))
			for range smallFlag.N() {
				p := randomClients(r, 2+r.IntN(2), 2, 2, 2, "rw")
				want := p.all(l)
				if len(want) > 60 {
					continue
				}
				got := map[string]bool{}
				for n := 0; len(got) < len(want) && n < 2_000_000; n++ {
					h := historyOf(t, len(p), p.run(t, r, Options{Level: l, Seed: r.Uint64(), Weak: WeakAlways}))
					if committedAll(h) {
						got[h.String()] = true
					}
				}
				for key := range got {
					if !want[key] {
						t.Fatalf("%v at %s: served %s (-seed=%d)", p, l, key, *seedFlag)
					}
				}
				if len(got) < len(want) {
					for key := range want {
						if !got[key] {
							t.Fatalf("%v at %s: never served: %s (-seed=%d)", p, l, key, *seedFlag)
						}
					}
				}
			}
		})
	}
}

func committedAll(h *reference.History) bool {
	for _, id := range h.IDs()[1:] {
		if h.Log(id).Status != semantics.Committed {
			return false
		}
	}
	return true
}

// all lists the histories of a program without locking reads that a level allows.
func (p clients) all(l isolation.Level) map[string]bool {
	ref := &reference.Program{Sessions: len(p), Final: -1, Initial: func(int) int { return 0 },
		Run: func(s int, before []reference.Log, answers []int) reference.Run {
			if len(before) == len(p[s]) {
				return reference.Run{None: true}
			}
			var run reference.Run
			wrote := map[int]bool{}
			for _, st := range p[s][len(before)] {
				switch {
				case st.do == 'w':
					wrote[st.x] = true
					run.Steps = append(run.Steps, reference.Step{Write: true, Var: st.x})
				case wrote[st.x]:
					run.Steps = append(run.Steps, reference.Step{Var: st.x, Own: true})
				case len(answers) == 0:
					run.Asks = st.x
					return run
				default:
					answers = answers[1:]
					run.Steps = append(run.Steps, reference.Step{Var: st.x})
				}
			}
			run.Status = semantics.Committed
			return run
		}}
	all := map[string]bool{}
	for key := range maps.Keys(ref.Histories(0, func(h *reference.History) bool { return h.Satisfies(l) })) {
		all[key] = true
	}
	return all
}
