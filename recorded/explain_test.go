package recorded_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/checker"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/recorded"
	"github.com/txmc/txmc/report"
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
	f, err := recorded.Load(t.Context(), path, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Judge(t.Context(), []isolation.Level{isolation.SI}, recorded.Options{By: recorded.ByReads}, func(v *recorded.Verdict) error {
		if v.Outcome != checker.Violated {
			t.Fatalf("%v", v.Outcome)
		}
		told, err := f.Report(t.Context(), v.Verdict)
		if err != nil || told == nil {
			t.Fatalf("no report: %v", err)
		}
		e := told.Explanation
		if slices.Contains(e.Allowed, "si") || !slices.Contains(e.Forbidden, "si") || e.ForbiddenBy == "" {
			t.Errorf("allowed %v, forbidden %v by %q", e.Allowed, e.Forbidden, e.ForbiddenBy)
		}
		text := (&report.Text{}).Violation(told)
		if strings.Contains(text, "isolation is not the cause") || !strings.Contains(text, "in which order the versions") {
			t.Error(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
