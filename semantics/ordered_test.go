package semantics_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// written returns a history of n transactions of two sessions, and a pending transaction of a
// third session. All n transactions write x. The pending one has read x from the last of them.
func written(n int, x behaviour.VarID) *semantics.Ordered {
	h := &semantics.Ordered{}
	h.Reset(3, -1, nil)
	for i := range n {
		h.Begin(i % 2)
		h.Commit([]behaviour.Write{{Var: x}})
	}
	h.Begin(2)
	h.ReadOnly(x, n)
	return h
}

// view is what can be seen of a history's last transaction.
type view struct {
	reads  []semantics.ReadFrom
	past   semantics.Row
	before []semantics.Row
}

func viewOf(h *semantics.Ordered) (v view) {
	v.reads, v.past = slices.Clone(h.Reads), slices.Clone(h.Past(h.Len()-1))
	for k := range h.Reads {
		v.before = append(v.before, slices.Clone(h.Before(k)))
	}
	return v
}

// A read of what nobody has written is a read from the initial transaction. Several reads are
// taken back one after another. Sets of transactions are one word here, or two.
func TestReadInitial(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 3, 62, 63, 80} {
		h := written(n, 1)
		if h.Unwritten(1) || !h.Unwritten(0) || !h.Unwritten(2) || !h.Unwritten(7) {
			t.Errorf("%d writers: unwritten are 0 to 2 and 7: %v, %v, %v, %v", n, h.Unwritten(0), h.Unwritten(1), h.Unwritten(2), h.Unwritten(7))
		}
		begun := viewOf(h)
		h.ReadInitial(0)
		h.ReadInitial(5)
		got := viewOf(h)
		if !slices.Equal(h.Writers(5), h.Writers(0)) || !h.Writers(5).Has(0) {
			t.Errorf("%d writers: a variable that is read first has the writers %b", n, h.Writers(5))
		}
		h.UndoReads(len(begun.reads))
		if again := viewOf(h); !reflect.DeepEqual(again, begun) {
			t.Errorf("%d writers: taken back %+v, begun with %+v", n, again, begun)
		}
		h.ReadOnly(0, 0)
		h.ReadOnly(5, 0)
		if want := viewOf(h); !reflect.DeepEqual(got, want) {
			t.Errorf("%d writers: %+v, want %+v", n, got, want)
		}
		h.UndoReads(0)
		if past := h.Past(h.Len() - 1); past.Next(1) >= 0 || !past.Has(0) {
			t.Errorf("%d writers: without its reads the transaction has seen %b", n, past)
		}
	}
}

// ReadOnly tells of the causal past what Read tells.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 3, 62, 63, 80} {
		for from := range n + 1 {
			h := written(n, 1)
			h.UndoReads(0)
			h.ReadOnly(1, from)
			got := viewOf(h)
			h.UndoRead()
			h.Read(1, from)
			if want := viewOf(h); !slices.Equal(got.past, want.past) || !slices.Equal(got.before[0], want.before[0]) {
				t.Errorf("%d writers, a read from %d: %b after %b, want %b after %b", n, from, got.past, got.before, want.past, want.before)
			}
		}
	}
}

// A transaction begins with nothing of the one that had its place before a reset.
func TestBeginAgain(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 62, 63, 80} {
		h := written(n, 1)
		h.Abort()
		h.Reset(3, -1, nil)
		fresh := &semantics.Ordered{}
		fresh.Reset(3, -1, nil)
		for i := range n + 1 {
			h.Begin(i % 3)
			fresh.Begin(i % 3)
			if got, want := *h.Last(), *fresh.Last(); !reflect.DeepEqual(got, want) {
				t.Errorf("transaction %d begins as %+v, want %+v", i, got, want)
			}
			h.Abort()
			fresh.Abort()
		}
	}
}
