package verdict_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/verdict"
)

// What only the order of versions forbids is not called serializable: here the list
// has the second append of a session before the first.
func TestReportByOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lists.edn")
	lines := `{:index 0 :type :ok :process 1 :f :txn :value [[:append 5 1]]}
{:index 1 :type :ok :process 1 :f :txn :value [[:append 5 2]]}
{:index 2 :type :ok :process 2 :f :txn :value [[:r 5 [2 1]]]}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := judge.Load(t.Context(), path, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Judge(t.Context(), []isolation.Level{isolation.SI}, judge.Options{By: judge.ByReads}, func(v *judge.Verdict) error {
		if v.Outcome != check.Violated {
			t.Fatalf("%v", v.Outcome)
		}
		told, err := verdict.Violation(t.Context(), f, v.Verdict)
		if err != nil || told == nil {
			t.Fatalf("no report: %v", err)
		}
		e := told.Explanation
		if slices.Contains(e.Allowed, "si") || !slices.Contains(e.Forbidden, "si") || e.ForbiddenBy == "" {
			t.Errorf("allowed %v, forbidden %v by %q", e.Allowed, e.Forbidden, e.ForbiddenBy)
		}
		text := (&report.Text{}).Violation(told)
		if e.Anomaly.Name != "write cycle" || v.Anomaly != e.Anomaly.Name || !strings.Contains(text, "cycle    s1/1 ─so→ s1/2 ─ww 5→ s1/1") {
			t.Error(text)
		}
		if strings.Contains(text, "isolation is not the cause") || !strings.Contains(text, "in which order the versions") {
			t.Error(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The example of the paper on Elle (Alvaro and Kingsbury, VLDB 2020) is a read skew by
// the order that its lists tell, and named and told as one.
func TestReportReadSkewByOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lists.edn")
	lines := `{:type :ok :process 1 :value [[:append 255 5] [:append 256 2]]}
{:type :ok :process 2 :value [[:append 255 8] [:r 255 [5 8]]]}
{:type :ok :process 3 :value [[:append 256 4] [:r 255 [5 8]] [:r 256 [2 4]]]}
{:type :ok :process 4 :value [[:r 255 [5]] [:append 256 3]]}
{:type :ok :process 5 :value [[:r 256 [2 4 3]]]}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := judge.Load(t.Context(), path, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	got := map[isolation.Level]string{}
	err = f.Judge(t.Context(), isolation.Levels(), judge.Options{By: judge.ByReads}, func(v *judge.Verdict) error {
		got[v.Level] = v.Anomaly
		if v.Level != isolation.SI {
			return nil
		}
		told, err := verdict.Violation(t.Context(), f, v.Verdict)
		if err != nil || told == nil {
			t.Fatalf("no report: %v", err)
		}
		kinds := ""
		for _, d := range told.Explanation.Cycle {
			kinds += d.Kind + " " + d.From + " " + d.To + "; "
		}
		if !strings.Contains(kinds, "rw s4/1 s2/1; ") || strings.Count(kinds, "rw") != 1 || len(told.Explanation.Cycle) != 3 {
			t.Error(kinds)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got[isolation.SI] != "read skew" || got[isolation.PC] != "" {
		t.Errorf("%v", got)
	}
}

// A write skew of two predicates is shown by whether the rows match, and named.
func TestReportPhantom(t *testing.T) {
	path := filepath.Join(t.TempDir(), "phantom.jsonl")
	lines := `{"session":"a","id":"1","ops":[["p",{"where":"grp = 1","saw":[],"result":[]}],["w","item 1",10]]}
{"session":"b","id":"2","ops":[["p",{"where":"grp = 1","saw":[],"result":[]}],["w","item 2",20]]}
{"versions":"item 1","values":[10]}
{"versions":"item 2","values":[20]}
{"matches":"grp = 1","of":[["item 1",10],["item 2",20]]}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, facts := range []bool{false, true} {
		f, err := judge.Load(t.Context(), path, nil, facts)
		if err != nil {
			t.Fatal(err)
		}
		err = f.Judge(t.Context(), []isolation.Level{isolation.SI, isolation.SER}, judge.Options{By: judge.ByReads}, func(v *judge.Verdict) error {
			if !facts || v.Level == isolation.SI {
				if v.Outcome != check.Satisfied {
					t.Errorf("%v, facts %v: %v", v.Level, facts, v.Outcome)
				}
				return nil
			}
			told, err := verdict.Violation(t.Context(), f, v.Verdict)
			if err != nil || told == nil {
				t.Fatalf("no report: %v", err)
			}
			text := (&report.Text{}).Violation(told)
			for _, want := range []string{"phantom write skew (P3, A5B, G2)", "read  item 2 (grp = 1) = no match", "write item 2 (grp = 1) = matches",
				"cycle    a ─rw item 2 (grp = 1)→ b ─rw item 1 (grp = 1)→ a", "forbidden at ser"} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
