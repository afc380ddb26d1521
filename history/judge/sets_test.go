package judge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference/recorded"
)

// Random tests of sets in Elle's format, against the definition. Each element is a
// register there. A read of the set reads all elements that it has, and all that have
// been added before in the file.
func TestSetsByDefinition(t *testing.T) {
	t.Parallel()
	p := newPipe(t, "elle")
	satisfied := map[isolation.Level]int{}
	count := often(4000)
	for seed := range uint64(count) {
		r := rand.New(rand.NewPCG(seed, 4))
		file, h := drawSets(r)
		want := h.Satisfied()
		if wrong := p.judge(t, []byte(file), want); wrong != "" {
			t.Fatalf("seed %d of stream 4: %s\n%s", seed, wrong, file)
		}
		for l, ok := range want {
			if ok {
				satisfied[l]++
			}
		}
	}
	t.Logf("of %d: satisfied %v", count, satisfied)
	for _, l := range isolation.Levels() {
		if n := satisfied[l]; min(n, count-n) < count/20 {
			t.Errorf("%v: %d of %d are satisfied", l, n, count)
		}
	}
}

// drawSets draws a history of additions and reads, as a file and as what it says.
func drawSets(r *rand.Rand) (file string, h recorded.Recorded) {
	var lines strings.Builder
	var added, there []int // in the file, and in the store
	n := 3 + r.IntN(4)
	for i := range n {
		process := r.IntN(n)
		fate := []string{"ok", "ok", "ok", "ok", "info", "fail"}[r.IntN(6)]
		t := recorded.Transaction{Session: process, Fate: map[string]recorded.Fate{"ok": recorded.Committed, "info": recorded.Unknown, "fail": recorded.Aborted}[fate]}
		element := func(e int) string { return fmt.Sprint("element ", e) }
		if r.IntN(2) == 0 {
			e := i + 1
			fmt.Fprintf(&lines, "{:type :invoke :process %d :f :add :value %d}\n{:type :%s :process %d :f :add :value %d}\n", process, e, fate, process, e)
			added = append(added, e)
			if fate == "ok" || fate == "info" && r.IntN(2) == 0 {
				there = append(there, e)
			}
			t.Ops = []recorded.Op{{Kind: recorded.Write, Object: element(e), Value: e}}
			h = append(h, t)
			continue
		}
		if len(added) == 0 { // until something has been added, the file is not of a set
			continue
		}
		var got []int
		for _, e := range added {
			if chance := r.IntN(4); chance == 0 || chance < 3 && slices.Contains(there, e) {
				got = append(got, e)
			}
		}
		fmt.Fprintf(&lines, "{:type :invoke :process %d :f :read}\n{:type :%s :process %d :f :read :value #{%s}}\n", process, fate, process, strings.Trim(fmt.Sprint(got), "[]"))
		for _, e := range added {
			o := recorded.Op{Kind: recorded.Read, Object: element(e)}
			if slices.Contains(got, e) {
				o.Value = e
			}
			if fate == "ok" {
				t.Ops = append(t.Ops, o)
			}
		}
		h = append(h, t)
	}
	if len(h) == 0 {
		return drawSets(r)
	}
	return lines.String(), h
}
