package format

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/txmc/txmc/history"
)

// agrees fails when what the quick reader makes of a line is not what the decoder
// of all of JSON makes of it; it reports whether it was read quickly.
func agrees(t *testing.T, line []byte) bool {
	t.Helper()
	s := &source{name: "history"}
	quick := history.Txn{Ops: []history.Op{{Key: "of the line before"}}, Fate: history.Unknown, Timed: true, Start: 7}
	if !s.quickTxn(line, &quick) {
		return false
	}
	x, err := decodeOwn(line)
	if err != nil || x.Session == nil {
		t.Fatalf("%q is read, the decoder says: %v", line, err)
	}
	slow := history.Txn{Session: *x.Session}
	if err := x.txn(s, &slow); err != nil {
		t.Fatalf("%q is read, the decoder says: %v", line, err)
	}
	for _, txn := range []*history.Txn{&quick, &slow} { // nil and empty are the same
		txn.Ops = append([]history.Op{}, txn.Ops...)
		for i := range txn.Ops {
			txn.Ops[i].List = append([]history.Value{}, txn.Ops[i].List...)
		}
	}
	if d := cmp.Diff(slow, quick); d != "" {
		t.Fatalf("%q: %s", line, d)
	}
	return true
}

// What is written without escapes and predicates is read quickly, and right.
func TestQuick(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		var b bytes.Buffer
		w := newOwn(&b)
		txn := history.Txn{Session: pick(r, "s1", "7", ""), ID: pick(r, "", "12", "t 3"), Fate: history.Fate(r.IntN(3))}
		if r.IntN(2) == 0 {
			txn.Timed, txn.Start, txn.Commit = true, r.Int64N(1e12)-5e11, r.Int64N(1e18)
		}
		if r.IntN(2) == 0 {
			txn.Real = history.Interval{Known: true, Called: r.Int64N(100), Returned: history.Never}
			if r.IntN(2) == 0 {
				txn.Real.Returned = txn.Real.Called + r.Int64N(100)
			}
		}
		value := func() history.Value {
			return []history.Value{number(r.Int64N(200) - 100), number(r.Int64() - math.MaxInt64/2), {Kind: history.Initial}, {Kind: history.Text, Text: "a b"}}[r.IntN(4)]
		}
		for range r.IntN(4) {
			o := history.Op{Kind: history.Kind(r.IntN(4)), Key: pick(r, "x", "17", "a/b")}
			if o.Kind == history.ReadList {
				for range r.IntN(3) {
					o.List = append(o.List, value())
				}
			} else {
				o.Value = value()
			}
			txn.Ops = append(txn.Ops, o)
		}
		if err := w.txn(&txn); err != nil {
			t.Fatal(err)
		}
		w.close()
		if line := bytes.TrimSpace(b.Bytes()); !agrees(t, line) {
			t.Fatalf("seed %d: %q is not read", seed, line)
		}
	}
}

func pick(r *rand.Rand, texts ...string) string { return texts[r.IntN(len(texts))] }

// What is not of that kind is left to the decoder.
func TestNotQuick(t *testing.T) {
	for _, line := range []string{
		``, `{}`, `{"ops":[]}`, `{"session":"a"} x`, `{"session":"a",}`, `{"session":"a","session":"b"}`, `{"session":"a","ops":[],"ops":[]}`,
		`{"session":"é"}`, `{"session":"a\n"}`, `{"session":null}`, `{"session":"a","more":1}`, `{"session":"a","fate":"lost"}`,
		`{"session":"a","start":1}`, `{"session":"a","start":01,"commit":2}`, `{"session":"a","start":1.5,"commit":2}`,
		`{"session":"a","start":1e2,"commit":2}`, `{"session":"a","start":-0,"commit":2}`, `{"session":"a","start":9223372036854775808,"commit":2}`, `{"session":"a","start":12345678901234567890,"commit":2}`,
		`{"session":"a","ops":[["r","x"]]}`, `{"session":"a","ops":[["r","x",1,2]]}`, `{"session":"a","ops":[["p",{}]]}`, `{"session":"a","ops":[["r",null,1]]}`,
		`{"session":"a","ops":[["r","x",true]]}`, `{"session":"a","ops":[["l","x",null]]}`, `{"session":"a","ops":[["l","x",[1,]]]}`, `{"session":"a","ops":[["r","x",1]`,
		`{"session":"a","ops":[["r","x",-]]}`, `{"session":"a","ops":[["r","x",1],]}`, `{"versions":"x","values":[1]}`,
	} {
		if agrees(t, []byte(line)) {
			t.Errorf("%q is read", line)
		}
	}
}

// FuzzQuick: whatever is read quickly is what the decoder reads.
func FuzzQuick(f *testing.F) {
	f.Add([]byte(`{"session":"s1","id":"2","fate":"unknown","start":10,"commit":12,"ops":[["a","l",7],["l","l",[7]],["r",3,null],["w","x","y"]]}`))
	f.Fuzz(func(t *testing.T, line []byte) { agrees(t, line) })
}
