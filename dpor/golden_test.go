package dpor_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
)

// The number of histories of each golden program at each level.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, row := range golden {
		p := parse(row.program)
		for i, l := range goldenLevels {
			if got := count(t, p, at(l)).Histories; got != int64(row.counts[i]) {
				t.Errorf("%s at %v: %d histories, want %d", row.program, l, got, row.counts[i])
			}
		}
	}
}

// The histories of the golden programs, not only their number, at all levels.
func TestGoldenHistories(t *testing.T) {
	t.Parallel()
	for _, row := range golden {
		if brief() && row.counts[0] > 1000 { // TestGolden has their number
			continue
		}
		if err := exploreCE(parse(row.program)); err != nil {
			t.Errorf("%s: %v", row.program, err)
		}
	}
}

// The oracle order is that of the sessions' declarations. It decides the order in
// which histories come, never which ones (PLDI 2023, section 5.1): with sessions
// permuted they are the same under renaming.
func TestGoldenPermuted(t *testing.T) {
	t.Parallel()
	for _, row := range golden {
		p := parse(row.program)
		if brief() && row.counts[0] > 1000 {
			continue
		}
		if err := permuted(p); err != nil {
			t.Errorf("%s: %v", row.program, err)
		}
	}
}

// explored counts without making the histories.
func explored(t *testing.T, p *prog, opts dpor.Options) dpor.Stats {
	t.Helper()
	client, err := newClient(p)
	if err != nil {
		t.Fatal(err)
	}
	opts.All = true
	x := dpor.Explore(context.Background(), client, opts)
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
	}
	s := x.Stats()
	if !s.Complete || s.Blocked != 0 {
		t.Errorf("%v: complete: %v, blocked calls: %d", p, s.Complete, s.Blocked)
	}
	return s
}

// Larger counts, which an independent implementation agrees on.
func TestGoldenLarge(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		program string
		cc, ser int64
		slow    bool
	}{
		{"w x ; r y ; w x ; r y | w y ; r x ; w y ; r x | w x ; r y | w y ; r x", 2240, 1143, false},
		{"inc x ; inc x | inc x ; inc x | inc x ; inc x | inc x ; inc x", 207525, 2520, true},
	} {
		if row.slow && brief() {
			continue
		}
		p := parse(row.program)
		cc, ser := explored(t, p, at(isolation.CC)), explored(t, p, at(isolation.SER))
		t.Logf("%s: cc: %d explored, %d histories; ser: %d end states, %d histories",
			row.program, cc.Explored, cc.Histories, ser.EndStates, ser.Histories)
		if cc.Histories != row.cc || cc.EndStates != row.cc || ser.EndStates != row.cc || ser.Histories != row.ser {
			t.Errorf("%s: %d at cc, %d at ser; want %d and %d", row.program, cc.Histories, ser.Histories, row.cc, row.ser)
		}
	}
}

// Rows of bits grow beyond one word: histories of more than 64 transactions.
func TestManyTransactions(t *testing.T) {
	t.Parallel()
	long := "w x"
	for range 69 {
		long += " ; w x"
	}
	for _, row := range []struct {
		program string
		count   int64
	}{
		{long + " | r x", 71},
		{"r x | " + long, 71},
		{"r y ; r x | " + long + " ; w y", 71 + 1},
	} {
		for _, l := range isolation.Levels() {
			want := row.count
			if l < isolation.CC && row.count > 71 {
				want = 71 * 2 // who reads w y need not see what came before it
			}
			if got := count(t, parse(row.program), at(l)).Histories; got != want {
				t.Errorf("%.20s… at %v: %d histories, want %d", row.program, l, got, want)
			}
			if l <= isolation.CC {
				continue
			}
			if got := count(t, parse(row.program), serially(l)).Histories; got != want {
				t.Errorf("%.20s… at %v by the serial engine: %d histories, want %d", row.program, l, got, want)
			}
		}
	}
}

// permuted compares the histories of p with those of p with its sessions in every
// other order.
func permuted(p *prog) error {
	client, err := newClient(p)
	if err != nil {
		return err
	}
	want := map[isolation.Level]map[string]bool{}
	for _, l := range isolation.Levels() {
		found, err := list(client, at(l))
		if err != nil {
			return err
		}
		want[l] = map[string]bool{}
		for key := range found.times {
			want[l][key] = true
		}
	}
	n := 0
	for order := range permutations(len(p.sessions)) {
		if n++; brief() && len(p.sessions) > 3 && n%5 != 0 { // one order of five
			continue
		}
		if err := inOrder(p, order, want); err != nil {
			return err
		}
	}
	return nil
}

// inOrder checks p with its sessions declared in the given order.
func inOrder(p *prog, order []int, want map[isolation.Level]map[string]bool) error {
	q := &prog{final: p.final}
	for _, s := range order {
		q.sessions = append(q.sessions, p.sessions[s])
	}
	client, err := newClient(q)
	if err != nil {
		return err
	}
	runs := []dpor.Options{serially(isolation.PC), serially(isolation.SI), serially(isolation.SER)}
	for _, l := range isolation.Levels() {
		runs = append(runs, at(l))
	}
	for _, opts := range runs {
		found, err := list(client, opts)
		if err != nil {
			return err
		}
		renamed := &listing{times: map[string]int{}}
		for key, h := range found.histories {
			renamed.times[h.Renamed(func(s int) int {
				if s < len(order) {
					return order[s]
				}
				return s
			})] = found.times[key]
		}
		if err := renamed.equals(want[opts.Level]); err != nil {
			return err
		}
		if err := renamed.once(); err != nil {
			return err
		}
	}
	return nil
}

// permutations yields all orders of the numbers below n.
func permutations(n int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var rec func(order []int) bool
		rec = func(order []int) bool {
			if len(order) == n {
				return yield(order)
			}
			for i := range n {
				if !slices.Contains(order, i) && !rec(append(order[:len(order):len(order)], i)) {
					return false
				}
			}
			return true
		}
		rec(nil)
	}
}
