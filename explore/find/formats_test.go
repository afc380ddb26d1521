package find

import (
	"go/token"
	"go/types"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// Each format has the calls, what is lost, where, and the change that was verified.
func TestFormats(t *testing.T) {
	t.Parallel()
	r := &Report{Transactions: 2, Iso: "pg-rc", Ran: true, Findings: []*Finding{{
		Rank: DataLost, Calls: []string{"Like", "Unlike"}, Bug: Bug{Tables: []string{"post"}, Lost: true, At: []string{"a/b.go:12", "a/b.go:15"}}, Package: "shop/likes",
		Advice: []*Advice{{Kind: "lock", Change: []string{"a/b.go:12: SELECT … FOR UPDATE"}}}, Violation: &report.Violation{Type: report.TypeViolation, Failures: []report.Failure{{Kind: "invariant", Message: "no serial order"}}},
	}}}
	for format, want := range map[string][]string{
		"text":   {"1 bug in 2 transactions", "Like × Unlike: lost update of post (a/b.go:12 → a/b.go:15)", "fix, verified", "--show=1"},
		"json":   {`"calls":["Like","Unlike"]`, `"change":["a/b.go:12: SELECT … FOR UPDATE"]`},
		"sarif":  {`"ruleId": "anomaly"`, `"uri": "a/b.go"`, `"startLine": 12`, "lost update of post", "verified fix: a/b.go:12"},
		"junit":  {`<testsuite name="shop/likes" tests="1" failures="1"`, `name="Like × Unlike at pg-rc"`, "lost update of post"},
		"github": {"::error file=a/b.go,line=12,title=Like × Unlike at pg-rc::lost update of post (a/b.go:12 → a/b.go:15)%0Averified fix", "1 bug in 2 transactions"},
		"html":   {"<html", "Like × Unlike", "lost update of post"},
	} {
		var b strings.Builder
		if err := (&Command{Format: format}).write(r, &b); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%s has no %q:\n%s", format, w, b.String())
			}
		}
	}
	for text, r := range map[string]*Report{
		`tests="1" failures="0" errors="0"`: {Transactions: 2},
		`type="unchecked"`:                  {},
		`type="incomplete"`:                 {Transactions: 2, Interrupted: true},
	} {
		var b strings.Builder
		if err := (&Command{Format: "junit"}).write(r, &b); err != nil || !strings.Contains(b.String(), text) {
			t.Errorf("no %s (%v):\n%s", text, err, b.String())
		}
	}
}

// Calls are chosen by their names; an expression that matches none is told the names.
func TestChoose(t *testing.T) {
	t.Parallel()
	sell := types.NewFunc(token.NoPos, nil, "Sell", nil)
	f := &finding{program: &source.Program{Calls: []*source.Call{{Name: "Store.Buy"}, {Name: "Store.Sell", Func: sell}, {Name: "Serve", Nesting: source.Nesting{Runs: map[*types.Func]bool{sell: true}}}}}}
	if f.program.Nest(); f.program.Calls[0].Inner || !f.program.Calls[1].Inner || f.program.Calls[2].Inner {
		t.Error("Sell is made by Serve, and nothing else by others")
	}
	if err := f.choose(regexp.MustCompile("Buy$")); err != nil || len(f.program.Calls) != 1 || f.program.Calls[0].Name != "Store.Buy" {
		t.Errorf("%d calls, %v", len(f.program.Calls), err)
	}
	f.program.Calls = []*source.Call{{Name: "Store.Buy"}, {Name: "Store.Sell"}}
	if err := f.choose(regexp.MustCompile("Rent")); err == nil || !strings.Contains(err.Error(), "the calls are Store.Buy") {
		t.Errorf("the error is %v", err)
	}
}

// A package in which nothing is to be understood is neither right nor wrong.
func TestNothing(t *testing.T) {
	t.Parallel()
	c := Command{Packages: []string{"../../report/terminal"}, DB: "postgres", Length: 4, Calls: 2, Format: "text", Timeout: 1}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	if status, err := c.Do(t.Context(), io.Discard, io.Discard); status != driver.Incomplete || err == nil || !strings.Contains(err.Error(), "sends a statement") {
		t.Errorf("the status is %v: %v", status, err)
	}
}

// Each anomaly comes with one change that mends it.
func TestFix(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	r := find(t, Options{Level: isolation.PgRC, Run: true, Execution: Execution{Fix: true}, Only: regexp.MustCompile("Like"), Config: load.Config{Dir: "likes"}})
	if len(r.Findings) != 1 || len(r.Findings[0].Advice) != 1 || r.Findings[0].Advice[0].Kind != "atomic" {
		t.Errorf("%d findings: %+v", len(r.Findings), r.Findings)
	}
}

// The statements that are left out of the schema are counted, and told by -v.
func TestLeftOfSchema(t *testing.T) {
	r := &Report{Ran: true, Transactions: 2, Schema: &Schema{From: []string{"init.sql"}, Left: []string{"init.sql:3: error 42704: no role"}}}
	if got := strings.Join(strings.Fields(r.Short("txmc find")), " "); !strings.HasSuffix(got, "schema: init.sql, without 1 statement that failed and make no table (-v says which)") {
		t.Error(got)
	}
	if got := r.Text(); !strings.Contains(got, "\nleft out of the schema\n  init.sql:3: error 42704: no role\n") {
		t.Error(got)
	}
}

// Where a search has not ended, no bug is no result.
func TestSoFar(t *testing.T) {
	r := &Report{Ran: true, Transactions: 2, Iso: "pg-rc"}
	for _, c := range []struct {
		interrupted bool
		want        string
	}{{false, "no bug in 2 transactions at pg-rc\n"}, {true, "no bug so far in 2 transactions at pg-rc\n"}} {
		if r.Interrupted = c.interrupted; !strings.HasPrefix(r.Short("txmc find"), c.want) {
			t.Errorf("%q, not %q", r.Short("txmc find"), c.want)
		}
	}
}
