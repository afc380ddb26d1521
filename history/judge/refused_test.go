package judge_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/isolation"
)

// What contradicts itself is refused: an id of two transactions, a commit before the start, and a
// predicate without the order of versions that it needs.
func TestRefusedHistories(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lines, want string
		facts       bool
	}{
		{lines: `{"session":"a","id":"1","ops":[]}` + "\n" + `{"session":"b","id":"1","ops":[]}`, want: `h.jsonl:2: the id "1" is that of a transaction before`},
		{lines: `{"session":"a","ops":[]}` + "\n" + `{"session":"b","ops":[]}`},
		{lines: `{"session":"a","id":"1","start":5,"commit":3,"ops":[]}`, want: "h.jsonl:1: the transaction commits, at 3, before it starts, at 5"},
		{lines: `{"session":"a","id":"1","ops":[["p",{"matches":[],"saw":[],"result":[]}]]}`, want: "a predicate read counts only where the order of versions is used"},
		{lines: `{"session":"a","id":"1","ops":[["p",{"matches":[],"saw":[],"result":[]}]]}`, facts: true},
		{lines: `{"session":"a","ops":[["w","x",1.5]]}` + "\n" + `{"session":"b","ops":[["r","x",1.50]]}`},
	} {
		path := filepath.Join(t.TempDir(), "h.jsonl")
		if err := os.WriteFile(path, []byte(c.lines), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := judge.Load(t.Context(), path, nil, c.facts)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.lines, err, c.want)
		}
	}
}

// A text is no number and no truth value.
func TestLiteralsAreNoTexts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "h.jsonl")
	lines := `{"session":"a","ops":[["w","x",1.5],["w","y",true]]}` + "\n" + `{"session":"b","ops":[["r","x","1.5"]]}`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := judge.Load(t.Context(), path, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Judge(t.Context(), []isolation.Level{isolation.RC}, judge.Options{By: judge.ByReads}, func(v *judge.Verdict) error {
		if v.Outcome != check.Violated {
			t.Errorf("%v", v.Outcome)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A history that takes longer than each may is undecided, and the others are judged.
func TestEachHistoryHasALimit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "h.jsonl")
	if err := os.WriteFile(path, []byte(`{"session":"a","ops":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	b := judge.Batch[string]{Levels: isolation.Levels(), Workers: 1, Each: 1,
		Line: func(_ context.Context, _ *judge.File, v *judge.Verdict, _ bool) (string, error) {
			return v.Level.String() + " " + v.Outcome.String() + " " + v.Why, nil
		}}
	err := b.Judge(t.Context(), []string{path, path}, func(j *judge.Judged[string]) error {
		for line := range j.Lines {
			got = append(got, line)
		}
		return j.Err
	})
	if err != nil || len(got) != 2*len(isolation.Levels()) || got[0] != "rc undecided out of time" {
		t.Errorf("%v %q", err, got)
	}
}
