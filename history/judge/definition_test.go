package judge

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference/recorded"
	"github.com/txmc/txmc/program/deadlinetest"
)

// Verdicts on small random histories, at every level, against the definition in
// isolation/reference, which tries all fates, all commit orders and all writers. The
// histories are written to files and read again, in the own format and in Elle's.

var mixed = []string{"q", "r", "x", "x", "x", "y", "y", "s", "s"}

func TestListsByDefinition(t *testing.T) {
	t.Parallel()
	byDefinition(t, 20000, listStream, drawing{all: mixed})
}

func TestRegistersByDefinition(t *testing.T) {
	t.Parallel()
	byDefinition(t, 10000, registerStream, drawing{all: []string{"q", "r"}})
}

func TestRepeatedValuesByDefinition(t *testing.T) {
	t.Parallel()
	byDefinition(t, 10000, repeatedStream, drawing{all: []string{"q", "r", "x", "x"}, repeated: true})
}

// Long is a flag.
var Long = flag.Bool("long", false, "go through all random and published histories, and not through some of them")

// often is how many random histories a test has that has n with -long. Each starts with
// the same seeds.
func often(n int) int {
	if *Long {
		return n
	}
	return deadlinetest.Of(n/10, n/20)
}

// Streams of random numbers, one for each test.
const (
	listStream uint64 = 1 + iota
	registerStream
	repeatedStream
)

func byDefinition(t *testing.T, count int, stream uint64, d drawing) {
	count = often(count)
	own, elle := newPipe(t, "txmc"), newPipe(t, "elle")
	own.mayGiveUp, elle.mayGiveUp = d.repeated, d.repeated
	satisfied, strongest := map[isolation.Level]int{}, map[isolation.Level]int{}
	for seed := range uint64(count) {
		d := d
		d.Rand = rand.New(rand.NewPCG(seed, stream))
		h := d.history()
		most := isolation.True
		want := h.Satisfied()
		own.check(t, h, want, fmt.Sprintf("seed %d of stream %d", seed, stream))
		if stream == listStream || seed%4 == 0 {
			told := want
			if left := elle.expressible(h); !reflect.DeepEqual(left, h) {
				told = left.Satisfied()
			}
			elle.check(t, h, told, fmt.Sprintf("Elle's format, seed %d of stream %d", seed, stream))
		}
		for l, ok := range want {
			if ok {
				satisfied[l]++
				most = max(most, l)
			}
		}
		strongest[most]++
		if t.Failed() {
			return
		}
	}
	t.Logf("of %d: satisfied %v, strongest level %v, not decided %d, %d", count, satisfied, strongest, own.undecided, elle.undecided)
	if max(own.undecided, elle.undecided) > 6*count/1000 {
		t.Errorf("%d and %d verdicts of %d histories are undecided", own.undecided, elle.undecided, count)
	}
	for _, l := range isolation.Levels() {
		if n := satisfied[l]; min(n, count-n) < count/6 {
			t.Errorf("%v: %d of %d are satisfied", l, n, count)
		}
		if strongest[l] < max(1, count/1000) {
			t.Errorf("%v: it is the strongest level of %d only", l, strongest[l])
		}
	}
}

// pipe writes histories in a format and judges what it reads again.
type pipe struct {
	as        *format.Format
	path      string
	mayGiveUp bool
	undecided int
}

func newPipe(t *testing.T, name string) *pipe {
	t.Helper()
	f, err := format.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return &pipe{as: f, path: filepath.Join(t.TempDir(), "history")}
}

// check compares all verdicts with those of the definition. A history with a wrong one
// is shown with all left out that does not matter.
func (p *pipe) check(t *testing.T, h recorded.Recorded, want map[isolation.Level]bool, name string) {
	t.Helper()
	if p.differ(t, h, want) == "" {
		return
	}
	differs := func(h recorded.Recorded) string { return p.differ(t, h, p.expressible(h).Satisfied()) }
	for again := true; again; {
		again = false
		for _, smaller := range simpler(h) {
			if differs(smaller) != "" {
				h, again = smaller, true
				break
			}
		}
	}
	t.Errorf("%s: %s\n%s", name, differs(h), lines(t, h))
}

// expressible is what is left of a history in the format: in Elle's only transactions
// that committed tell what they have read.
func (p *pipe) expressible(h recorded.Recorded) recorded.Recorded {
	if p.as.Name != "elle" {
		return h
	}
	out := slices.Clone(h)
	for i := range out {
		if out[i].Fate != recorded.Committed {
			out[i].Ops = slices.DeleteFunc(slices.Clone(out[i].Ops), func(o recorded.Op) bool { return o.Kind%2 == 1 })
		}
	}
	return out
}

// differ tells at which levels the verdict is not that of the definition.
func (p *pipe) differ(t *testing.T, h recorded.Recorded, want map[isolation.Level]bool) string {
	t.Helper()
	var out bytes.Buffer
	to, end, err := p.as.Write(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range translate(h) {
		if err := to.Txn(&x); err != nil {
			t.Fatal(err)
		}
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	return p.judge(t, out.Bytes(), want)
}

// judge tells at which levels the verdict on a file is not the one that is wanted.
func (p *pipe) judge(t *testing.T, file []byte, want map[isolation.Level]bool) (wrong string) {
	t.Helper()
	os.Remove(p.path) // a new file is written faster than an old one
	if err := os.WriteFile(p.path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(t.Context(), p.path, p.as, false)
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.recording.Checker(check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for l := range want {
		v, err := c.Decide(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		expected := check.Violated
		if want[l] {
			expected = check.Satisfied
		}
		if v.Outcome == check.Undecided && p.mayGiveUp {
			p.undecided++
		} else if v.Outcome != expected {
			wrong += fmt.Sprintf("%v: %v, by the definition %v; ", l, v.Outcome, expected)
		}
	}
	return wrong
}

// translate makes recorded transactions. Each element of a set becomes a key.
func translate(h recorded.Recorded) (txns []history.Txn) {
	elements := map[string][]int{}
	for _, t := range h {
		for _, o := range t.Ops {
			if o.Kind == recorded.Add && !slices.Contains(elements[o.Object], o.Value) {
				elements[o.Object] = append(elements[o.Object], o.Value)
			}
		}
	}
	for i, t := range h {
		x := history.Txn{Session: fmt.Sprintf("s%d", t.Session), ID: strconv.Itoa(i), Fate: history.Fate(t.Fate)}
		if t.Real != nil {
			x.Real = history.Interval{Known: true, Called: int64(t.Real.Called), Returned: int64(t.Real.Returned)}
			if t.Fate == recorded.Unknown {
				x.Real.Returned = history.Never
			}
		}
		for _, o := range t.Ops {
			x.Ops = append(x.Ops, operations(o, elements[o.Object])...)
		}
		txns = append(txns, x)
	}
	return txns
}

func operations(o recorded.Op, elements []int) (ops []history.Op) {
	value := func(v int) history.Value {
		if v == 0 {
			return history.Value{Kind: history.Initial}
		}
		return history.Value{Num: int64(v)}
	}
	element := func(e int) string { return fmt.Sprintf("%s/%d", o.Object, e) }
	switch o.Kind {
	case recorded.Add:
		return []history.Op{{Kind: history.Write, Key: element(o.Value), Value: value(1)}}
	case recorded.ReadSet:
		for _, e := range elements {
			x := history.Op{Kind: history.Read, Key: element(e), Value: value(0)}
			if slices.Contains(o.Values, e) {
				x.Value = value(1)
			}
			ops = append(ops, x)
		}
		for _, e := range o.Values {
			if !slices.Contains(elements, e) {
				ops = append(ops, history.Op{Kind: history.Read, Key: element(e), Value: value(1)})
			}
		}
		return ops
	}
	x := history.Op{Key: o.Object, Value: value(o.Value)}
	x.Kind = map[recorded.Kind]history.Kind{recorded.Write: history.Write, recorded.Read: history.Read,
		recorded.Append: history.Append, recorded.ReadList: history.ReadList}[o.Kind]
	if o.Kind == recorded.ReadList {
		x.Value = history.Value{}
		for _, v := range o.Values {
			x.List = append(x.List, value(v))
		}
	}
	return []history.Op{x}
}

// simpler are histories with one thing less.
func simpler(h recorded.Recorded) (list []recorded.Recorded) {
	for i := range h {
		list = append(list, slices.Delete(slices.Clone(h), i, i+1))
	}
	change := func(i int, t recorded.Transaction) {
		out := slices.Clone(h)
		out[i] = t
		list = append(list, out)
	}
	for i, t := range h {
		if t.Fate != recorded.Committed {
			change(i, recorded.Transaction{Session: t.Session, Ops: t.Ops})
		}
		if t.Session != i {
			change(i, recorded.Transaction{Session: i, Fate: t.Fate, Ops: t.Ops})
		}
		for k, o := range t.Ops {
			change(i, recorded.Transaction{Session: t.Session, Fate: t.Fate, Ops: slices.Delete(slices.Clone(t.Ops), k, k+1)})
			for j := range o.Values {
				less := o
				less.Values = slices.Delete(slices.Clone(o.Values), j, j+1)
				ops := slices.Clone(t.Ops)
				ops[k] = less
				change(i, recorded.Transaction{Session: t.Session, Fate: t.Fate, Ops: ops})
			}
		}
	}
	return list
}

// lines are a history in the own format.
func lines(t *testing.T, h recorded.Recorded) string {
	t.Helper()
	f, err := format.ByName("txmc")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	to, end, err := f.Write(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range translate(h) {
		if err := to.Txn(&x); err != nil {
			t.Fatal(err)
		}
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
