package format_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/format"
)

// timedTransactions are transactions of three sessions, each of which writes a value of its own.
func timedTransactions(r *rand.Rand, events bool) *told {
	var h told
	at := map[string]int64{}
	for i := range 2 + r.IntN(9) {
		t := history.Txn{Session: string(rune('a' + r.IntN(3))), Fate: history.Fate(r.IntN(3))}
		t.Ops = []history.Op{{Kind: history.Write, Key: "x", Value: history.Value{Num: int64(i)}}}
		t.Real = history.Interval{Known: true, Events: events, Called: at[t.Session] + r.Int64N(4)}
		t.Real.Returned = t.Real.Called + r.Int64N(6)
		if at[t.Session] = t.Real.Returned + 1; t.Fate == history.Unknown && r.IntN(2) == 0 {
			at[t.Session], t.Real.Returned = t.Real.Called+1, history.Never
		}
		h.Txns = append(h.Txns, t)
	}
	return &h
}

// What returned before another was called does so in a file of Elle too, by the times and by the order of the
// lines, and nothing else does.
func TestElleKeepsTheOrderInRealTime(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history")
	for seed := range uint64(500) {
		h := timedTransactions(rand.New(rand.NewPCG(seed, 1)), seed%2 == 0)
		again := through(t, h, "elle", path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if timed := bytes.Contains(data, []byte(":time")); timed != (seed%2 == 1) {
			t.Fatalf("seed %d: times %v\n%s", seed, timed, data)
		}
		by := map[int64]history.Interval{}
		for _, x := range again.Txns {
			by[x.Ops[0].Value.Num] = x.Real
		}
		for i := range h.Txns {
			for j := range h.Txns {
				a, b := &h.Txns[i], &h.Txns[j]
				if a.Fate != history.Committed || i == j {
					continue
				}
				v, w := a.Ops[0].Value, b.Ops[0].Value
				want := a.Real.Returned < b.Real.Called
				inFile := lineOf(data, ":ok", v) < lineOf(data, ":invoke", w)
				if got := by[v.Num].Returned < by[w.Num].Called; got != want || inFile != want {
					t.Fatalf("seed %d: %v before %v: by times %v, by lines %v, want %v\n%s", seed, v, w, got, inFile, want, data)
				}
			}
		}
	}
}

// lineOf is the place of the line of that type and value.
func lineOf(data []byte, kind string, v history.Value) int {
	return slices.IndexFunc(strings.Split(string(data), "\n"), func(line string) bool {
		return strings.Contains(line, kind) && strings.HasSuffix(line, " "+v.String()+"]]}")
	})
}

// A history without times that Jepsen's processes can have is converted, with a word.
func TestElleSaysWhereItKnowsNoTimes(t *testing.T) {
	t.Parallel()
	own, _ := format.ByName("txmc")
	elle, _ := format.ByName("elle")
	for _, c := range []struct {
		lines string
		note  bool
	}{
		{`{"session":"a","called":1,"returned":2,"ops":[]}` + "\n" + `{"session":"a","called":3,"ops":[["w","x",1]]}`, false},
		{`{"session":"a","ops":[]}`, true},
		{`{"session":"a","called":1,"returned":2,"ops":[]}` + "\n" + `{"session":"b","ops":[]}`, true},
		{`{"session":"a","called":1,"returned":3,"ops":[]}` + "\n" + `{"session":"a","called":3,"returned":4,"ops":[]}`, true},
		{`{"session":"a","called":1,"returned":3,"ops":[]}` + "\n" + `{"session":"b","called":3,"returned":4,"events":true,"ops":[]}`, true},
		{`{"session":"a","called":-1,"returned":3,"ops":[]}`, true},
	} {
		path := filepath.Join(t.TempDir(), "h.jsonl")
		if err := os.WriteFile(path, []byte(c.lines), 0o600); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		note, err := format.Convert(context.Background(), path, own, elle, &b)
		if err != nil || (note != "") != c.note || strings.Contains(b.String(), ":time") == c.note {
			t.Errorf("%s: note %q, %v\n%s", c.lines, note, err, b.String())
		}
		if lines := strings.Count(b.String(), "\n"); lines != 2*(1+strings.Count(c.lines, "\n")) || !strings.HasPrefix(b.String(), "{:index 0 ") {
			t.Errorf("%s: %d lines\n%s", c.lines, lines, b.String())
		}
	}
}
