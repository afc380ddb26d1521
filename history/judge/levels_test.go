package judge_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/history/workload"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
)

// generated is a history of a store with a level and a bug.
func generated(t *testing.T, c workload.Config) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	own, err := format.ByName("txmc")
	if err != nil {
		t.Fatal(err)
	}
	to, end, err := own.Write(file)
	if err != nil {
		t.Fatal(err)
	}
	g, err := workload.New(c)
	if err == nil {
		err = g.Record(t.Context(), workload.Recording{}, to)
	}
	if err == nil {
		err = end()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Levels that are decided at a time come to what they come to one after another: the
// same verdicts, and the same transactions that show a violation.
func TestLevelsTogether(t *testing.T) {
	type verdict struct {
		Level   string
		Outcome string
		Anomaly string
		Txns    []int
	}
	found := map[string]int{}
	for level := isolation.RC; level <= isolation.SER; level++ {
		for values := range 2 { // unique ones, and few
			if !deadlinetest.Full() && values != int(level)%2 {
				continue
			}
			path := generated(t, workload.Config{Sessions: 4, Txns: 20, Ops: 5, Reads: 0.5, Keys: 30, Level: level, Values: values * 40, Seed: uint64(level)})
			f, err := judge.Load(t.Context(), path, nil, false)
			if err != nil {
				t.Fatal(err)
			}
			var all [3][]verdict
			for i, workers := range []int{0, 2, 6}[:deadlinetest.Of(3, 2)] {
				err := f.Judge(t.Context(), isolation.Levels(), judge.Options{By: judge.ByReads, Workers: workers}, func(v *judge.Verdict) error {
					x := verdict{v.Level.String(), v.Outcome.String(), v.Anomaly, nil}
					if v.Violation != nil {
						x.Txns = v.Violation.Txns
					}
					all[i] = append(all[i], x)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(all[0], all[i]); d != "" {
					t.Errorf("%v, %d workers: %s", level, workers, d)
				}
			}
			for _, x := range all[0] {
				found[x.Outcome]++
			}
		}
	}
	if found["satisfied"] < 5 || found["violated"] < 5 {
		t.Errorf("too little was found: %v", found)
	}
}

// What is interrupted is undecided at every level, and says so.
func TestInterrupted(t *testing.T) {
	path := generated(t, workload.Config{Sessions: 2, Txns: 10, Ops: 5, Reads: 0.5, Keys: 30, Level: isolation.SER})
	for _, workers := range []int{0, 6} {
		f, err := judge.Load(t.Context(), path, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		decided := 0
		err = f.Judge(ctx, isolation.Levels(), judge.Options{By: judge.ByReads, Workers: workers}, func(v *judge.Verdict) error {
			if decided == 0 {
				stop()
			} else if workers == 0 && (v.Outcome != check.Undecided || v.Why != "interrupted") {
				t.Errorf("%v: %v, %q", v.Level, v.Outcome, v.Why)
			}
			decided++
			return nil
		})
		if err != nil || decided != len(isolation.Levels()) {
			t.Errorf("%d verdicts, %v", decided, err)
		}
		if _, err := judge.Load(ctx, path, nil, false); err == nil {
			t.Error("a file is read after the end")
		}
	}
}

// By timestamps the times decide each level by itself: two writers that overlap are
// none at SI, and one after the other at SER.
func TestTimestampsInheritNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "overlap.jsonl")
	lines := `{"session":"a","id":"1","start":1,"commit":3,"ops":[["w","x",1]]}
{"session":"b","id":"2","start":2,"commit":4,"ops":[["w","x",2]]}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := judge.Load(t.Context(), path, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = f.Judge(t.Context(), []isolation.Level{isolation.SI, isolation.SER}, judge.Options{By: judge.ByTimestamps}, func(v *judge.Verdict) error {
		got = append(got, v.Level.String()+" "+v.Outcome.String())
		return nil
	})
	if diff := cmp.Diff([]string{"si violated", "ser satisfied"}, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}
