package find

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/program/load"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// find looks at the package store of testdata.
func find(t *testing.T, opts Options) *Report {
	t.Helper()
	return findUntil(t, t.Context(), opts)
}

// findUntil is find until ctx is done.
func findUntil(t *testing.T, ctx context.Context, opts Options) *Report {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", cmp.Or(opts.Dir, "store")))
	if err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	opts.Config = load.Config{Server: opts.Server.Package(), Dir: dir, Temp: t.TempDir(), Cache: load.CacheDir(), Determinism: true, Log: opts.Log}
	opts.Length, opts.Timeout, opts.Stderr = 4, time.Hour, &printed
	r, err := Find(ctx, opts)
	if err != nil {
		t.Fatal(err, printed.String())
	}
	return r
}

// golden compares a report with a file.
func golden(t *testing.T, r *Report, name string) { goldenOf(t, r, "store", name) }

// goldenOf is golden for another package of testdata.
func goldenOf(t *testing.T, r *Report, pkg, name string) {
	t.Helper()
	got := r.Text()
	for line := range strings.Lines(got) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width && !strings.Contains(line, "again") && !strings.HasPrefix(line, "    | ") {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	file := filepath.Join("testdata", pkg, name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// The table of an application with mistakes and without, and what is not understood.
func TestTable(t *testing.T) {
	t.Parallel()
	golden(t, find(t, Options{Level: isolation.PgRC}), "table.golden")
}

// The whole report at READ COMMITTED, with the anomalies that were run.
func TestStore(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	golden(t, find(t, Options{Level: isolation.PgRC, Run: true}), "find.golden")
}

// Under snapshot isolation every structure is confirmed; locks do not help there against
// phantoms, and levels do. The programs that show it are kept.
func TestAdvice(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	out := filepath.Join(t.TempDir(), "kept")
	r := find(t, Options{Level: isolation.PgRR, Run: true, Execution: Execution{Advice: true, Out: out}})
	text, err := os.ReadFile(filepath.Join(out, "find.go"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "find.go", text, 0)
	if err != nil || file.Name.Name != "kept" {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if !strings.Contains(string(text), "func "+f.Program+"(p *txmc.Program)") || !strings.Contains(f.Explore, f.Program) {
			t.Errorf("%s is not kept", f.Program)
		}
		f.Explore = ""
	}
	golden(t, r, "advice.golden")
}

// Every kind of advice, with patches: an UPDATE that adds, a unique index, locks, levels, and
// calls that are made again.
func TestAdviceKinds(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	r := find(t, Options{Level: isolation.PgRC, Run: true, Execution: Execution{Advice: true}, Config: load.Config{Dir: "likes"}})
	goldenOf(t, r, "likes", "advice.golden")
	for i, want := range [][]string{{"atomic", "lock", "level"}, {"unique", "level"}} {
		var kinds []string
		for _, a := range r.Findings[min(i, len(r.Findings)-1)].Advice {
			kinds = append(kinds, a.Kind)
		}
		for _, kind := range want {
			if !slices.Contains(kinds, kind) {
				t.Errorf("anomaly %d: no advice of the kind %s: %q", i+1, kind, kinds)
			}
		}
	}
}

// An interrupt before the first run leaves the table and the structures, and says that they were not run.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	r := findUntil(t, ctx, Options{Level: isolation.PgRR, Run: true, Config: load.Config{Log: func(format string, args ...any) {
		if strings.Contains(fmt.Sprintf(format, args...), " build ") {
			interrupt()
		}
	}}})
	if !r.Interrupted || r.status() != driver.Incomplete || len(r.Findings) > 0 || len(r.Calls) == 0 || len(r.Unconfirmed) == 0 {
		t.Errorf("interrupted %v, status %d, %d findings, %d calls, %d unconfirmed", r.Interrupted, r.status(), len(r.Findings), len(r.Calls), len(r.Unconfirmed))
	}
	for _, u := range r.Unconfirmed {
		if u.Why != "it was not run" {
			t.Errorf("%v: %q", u.Calls, u.Why)
		}
	}
	if !strings.Contains(r.Text(), "interrupted: ") {
		t.Error(r.Text())
	}
}

// What each level leaves of the structures: snapshot isolation the write skews alone, and
// the serializable transactions' among them only with others.
func TestLevels(t *testing.T) {
	t.Parallel()
	pairs := map[string]bool{}
	for _, u := range find(t, Options{Level: isolation.PgRR}).Unconfirmed {
		pairs[strings.Join(u.Calls, " ")] = true
	}
	for _, pair := range []string{"Store.Withdraw Store.Withdraw", "Store.Redeem Store.Redeem"} {
		if !pairs[pair] {
			t.Errorf("no structure of %s", pair)
		}
	}
	for _, pair := range []string{"Store.Deposit Store.Deposit", "Store.Add Store.Add", "Store.WithdrawSerializable Store.WithdrawSerializable"} {
		if pairs[pair] {
			t.Errorf("a structure of %s", pair)
		}
	}
}

// What is read off the code is told, and so is what is not. Serializability leaves no structure.
func TestUnknown(t *testing.T) {
	t.Parallel()
	r := find(t, Options{Level: isolation.PgSer})
	if want := []Problem{{"store.go:121", "the text of the statement is not known: it is made at run time"}}; !slices.Equal(r.Unknown, want) {
		t.Errorf("%v", r.Unknown)
	}
	if r.Transactions != 6 {
		t.Errorf("%d transactions", r.Transactions)
	}
	if r.Structures != 0 {
		t.Errorf("%d structures at serializable", r.Structures)
	}
}

// A function that nobody has is told.
func TestNewUnknown(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs(filepath.Join("testdata", "store"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"New": "", "NewNothing": "--new: no package has an exported function NewNothing", "balanceOf": "--new: no package has an exported function balanceOf"} {
		_, err := Find(t.Context(), Options{Config: load.Config{Dir: dir, Temp: t.TempDir(), Cache: load.CacheDir()}, New: []string{name}, Level: isolation.PgSer, Extent: Extent{Length: 2}, Printing: Printing{Stderr: io.Discard}})
		if got := fmt.Sprint(err); got != want && !(err == nil && want == "") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Where nothing is found the report says what is looked at.
func TestNothingFound(t *testing.T) {
	const want = "sends a statement that is understood"
	if r := (&Report{}); !strings.Contains(strings.Join(strings.Fields(r.Text()), " "), want) {
		t.Errorf("no word of it:\n%s", r.Text())
	}
	if r := (&Report{Transactions: 1}); strings.Contains(strings.Join(strings.Fields(r.Text()), " "), want) {
		t.Errorf("there is one:\n%s", r.Text())
	}
}

// Calls that forget a transaction, or have two where one is needed. No level helps: so none is
// advised.
func TestApart(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	opts := Options{Level: isolation.PgRC, Extent: Extent{Whole: true}, Run: true, Execution: Execution{Advice: true}, Config: load.Config{Dir: "apart"}}
	r := find(t, opts)
	goldenOf(t, r, "apart", "find.golden")
	kinds := map[string][]string{}
	for _, f := range r.Findings {
		for _, a := range f.Advice {
			kinds[strings.Join(f.Calls, " ")] = append(kinds[strings.Join(f.Calls, " ")], a.Kind)
		}
		if !f.Between {
			t.Errorf("%v: some order of the transactions has all outcomes", f.Calls)
		}
	}
	for calls, want := range map[string]string{"Shop.Deliver Shop.Deliver": "atomic", "Shop.Vote Shop.Vote": "unique"} {
		if !slices.Equal(kinds[calls], []string{want}) {
			t.Errorf("%s: advice of the kinds %q, want %s", calls, kinds[calls], want)
		}
	}
	opts.Whole, opts.Advice = false, false
	if r := find(t, opts); len(r.Findings) > 0 || r.Structures > 0 {
		t.Errorf("%d anomalies of transactions, %d structures", len(r.Findings), r.Structures)
	}
}
