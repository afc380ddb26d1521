package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/page"
	"github.com/txmc/txmc/testdata/bank"
	"github.com/txmc/txmc/testdata/longfork"
)

// hostile is what a page must show as it is.
const hostile = `</script><script>document.title='taken'</script><!--<script>&'"` + "\u2028"

// violation returns the first violation of a program.
func violation(t *testing.T, explore func(*program.Program), l isolation.Level) *report.Violation {
	t.Helper()
	client, err := program.NewClient("ExploreIt", explore, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Park)
	opts := dpor.Options{Level: l, Base: l.Base(), Workers: 1}
	for f, err := range dpor.Explore(t.Context(), client, opts).Histories() {
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Failures) > 0 {
			return report.Source{Package: "example.com/it", Program: client.Name, Level: l, Names: client}.Violation(report.Case(*f))
		}
	}
	t.Fatal("no violation")
	return nil
}

// examples are pages by what is to be seen on them.
func examples(t *testing.T) map[string]*page.Page {
	t.Helper()
	pages := map[string]*page.Page{}
	put := func(name string, list ...*report.Violation) {
		pages[name] = page.New()
		for _, v := range list {
			pages[name].Add(v)
		}
	}
	put("skew", violation(t, bank.ExploreOverdraft, isolation.SI))
	put("several", violation(t, longfork.ExploreScore, isolation.CC), violation(t, bank.ExploreReceipts, isolation.PC))
	put("serial", violation(t, func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		p.Session("a", func(s *program.Session) { s.Txn("set", func(tx *program.Tx) error { x.Set(tx, 1); return nil }) })
		p.Final("check", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) == 0, hostile) })
	}, isolation.SER))
	put("big", big(violation(t, bank.ExploreOverdraft, isolation.SI)))
	put("statements", spoken())
	put("execution", executed())
	put("nothing")
	return pages
}

// big adds sessions to a violation until it has 100 transactions.
func big(v *report.Violation) *report.Violation {
	h := &v.History
	closing := h.Transactions[len(h.Transactions)-1]
	h.Transactions = h.Transactions[:len(h.Transactions)-1]
	var steps []report.Step
	for i := range 12 {
		session := fmt.Sprintf("shop%02d", i+1)
		before := "init"
		for j := range 8 {
			id, key := fmt.Sprintf("%s/%d", session, j+1), "stock/"+session
			t := report.Transaction{ID: id, Session: session, Index: j + 1, Name: "sell", Status: "committed", At: "shop.go:12"}
			t.Events = append(t.Events, report.Event{Op: "read", Key: key, Value: j, From: before, At: "shop.go:13"}, report.Event{Op: "write", Key: key, Value: j + 1, At: "shop.go:14"})
			h.Transactions = append(h.Transactions, t)
			h.WR = append(h.WR, report.Edge{From: before, To: id, Key: key})
			steps = append(steps, report.Step{Transaction: id, Op: "begin"}, report.Step{Transaction: id, Op: "read", Event: 1},
				report.Step{Transaction: id, Op: "write", Event: 2}, report.Step{Transaction: id, Op: "commit"})
			before = id
		}
	}
	h.Transactions = append(h.Transactions, closing)
	v.Explanation.FirstNonSerial += len(steps)
	v.Explanation.Steps = append(steps, v.Explanation.Steps...)
	return v
}

// spoken is a lost update of two sessions that talk SQL.
func spoken() *report.Violation {
	v := &report.Violation{
		Type: report.TypeViolation, Schema: report.Schema, Program: "ExploreSQL", Iso: "cc", Order: []string{"init", "ann/1", "bob/1"},
		Failures: []report.Failure{{Kind: "final", Name: "kept", Message: "an update is lost"}},
	}
	v.History.Transactions = []report.Transaction{{ID: "init", Session: "init", Status: "committed", Events: []report.Event{
		{Op: "write", Key: "acct/1", Text: `{id:1 owner:"ann" balance:100}`}, {Op: "write", Key: "acct/1 key", Value: 1}, {Op: "write", Key: "acct/2"},
	}}}
	for _, who := range []string{"ann", "bob"} {
		v.History.Transactions = append(v.History.Transactions, report.Transaction{
			ID: who + "/1", Session: who, Index: 1, Name: "deposit", Status: "committed", At: "store.go:10",
			Events: []report.Event{
				{Op: "read", Key: "acct/1", Text: `{id:1 owner:"ann" balance:100}`, From: "init", At: "store.go:11"},
				{Op: "read", Key: "acct/1 key", Value: 1, From: "init", At: "store.go:11"},
				{Op: "write", Key: "acct/1", Text: `{id:1 owner:"ann" balance:110}`, At: "store.go:12"},
			},
			Statements: []report.Statement{
				{Text: "SELECT balance FROM acct WHERE id = 1", At: "store.go:11"},
				{Text: "UPDATE acct SET balance = 110 WHERE id = 1", At: "store.go:12", Events: 2,
					Changes: []report.Change{{Key: "acct/1", Text: `{id:1 owner:"ann" balance:110}`, Events: 2}}},
			},
		})
		v.History.WR = append(v.History.WR, report.Edge{From: "init", To: who + "/1", Key: "acct/1"})
	}
	v.Explanation = &report.Explanation{FirstNonSerial: -1, Allowed: []string{}, Forbidden: []string{}}
	for _, id := range []string{"ann/1", "bob/1"} {
		v.Explanation.Steps = append(v.Explanation.Steps, report.Step{Transaction: id, Op: "begin"}, report.Step{Transaction: id, Op: "read", Event: 1},
			report.Step{Transaction: id, Op: "read", Event: 2}, report.Step{Transaction: id, Op: "write", Event: 3}, report.Step{Transaction: id, Op: "commit"})
	}
	return v
}

// executed is a violation under a database's model.
func executed() *report.Violation {
	v := &report.Violation{
		Type: report.TypeViolation, Schema: report.Schema, Program: "ExploreCounter", Iso: "pg-rr", Order: []string{},
		Failures:  []report.Failure{{Kind: "final", Name: "both count", Message: "n is 1 " + hostile}},
		Selection: report.Selection{AtSerial: "holds", AtSER: "fails", ErrorsAtSER: []string{"40001"}},
	}
	op := func(step int, who, what, op string) *report.Operation {
		v.Schedule = append(v.Schedule, report.Operation{Step: step, Session: who, Transaction: who + "/1", Name: "count", What: what, Op: op, At: "count.go:7"})
		return &v.Schedule[len(v.Schedule)-1]
	}
	*op(1, "ann", report.StepRan, report.OpUpdate) = report.Operation{Step: 1, Session: "ann", Transaction: "ann/1", Name: "count", What: report.StepRan, Op: report.OpUpdate, Key: "n", Value: "1", Found: "0"}
	op(2, "bob", report.StepWaits, report.OpUpdate).For = []string{"ann"}
	op(3, "ann", report.StepRan, report.OpCommit)
	failed := op(3, "bob", report.StepGoesOn, report.OpUpdate)
	failed.Error, failed.Message, failed.After = "40001", "could not serialize access", "ann's commit"
	op(3, "bob", report.StepRan, report.OpRollback)
	v.Left = []report.Assigned{{Key: "n", Value: "1"}}
	return v
}

func write(t *testing.T, p *page.Page) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var dataElement = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

// The data of a page are its violations, whatever they contain.
func TestData(t *testing.T) {
	t.Parallel()
	for name, p := range examples(t) {
		file := write(t, p)
		if len(file) > 1<<20 {
			t.Errorf("%s: %d bytes", name, len(file))
		}
		want, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		m := dataElement.FindSubmatch(file)
		if m == nil {
			t.Fatalf("%s: no data", name)
		}
		if diff := cmp.Diff(string(want), string(m[1])); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if n := bytes.Count(file, []byte("</script>")); n != 2 {
			t.Errorf("%s: %d script elements end, want 2", name, n)
		}
	}
}

// Nothing is fetched: a page has no address but names of XML.
func TestSelfContained(t *testing.T) {
	t.Parallel()
	file := string(write(t, page.New()))
	for _, address := range regexp.MustCompile(`(?i)(https?:)?//[a-z][^\s"']*\.[a-z]+[^\s"']*`).FindAllString(file, -1) {
		if address != "http://www.w3.org/2000/svg" {
			t.Errorf("%s", address)
		}
	}
	if strings.Contains(file, "@import") || strings.Contains(file, "url(h") {
		t.Error("styles are fetched")
	}
}

// A page stays small, and says what is not on it.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	v := violation(t, bank.ExploreOverdraft, isolation.SI)
	p := page.New()
	const added = 1000
	for range added {
		p.Add(v)
	}
	file := write(t, p)
	if len(file) > 1<<20 || p.LeftOut == 0 || len(p.Violations)+p.LeftOut != added {
		t.Errorf("%d bytes, %d violations, %d left out", len(file), len(p.Violations), p.LeftOut)
	}
}

// A violation that is too large by itself has its long texts cut, and nothing
// else; one that is too large even so is said to be left out.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	v := violation(t, bank.ExploreOverdraft, isolation.SI)
	for i := range v.History.Transactions {
		for j := range v.History.Transactions[i].Events {
			e := &v.History.Transactions[i].Events[j]
			e.Text = strings.Repeat("ä", 200_000)
			e.Value = e.Text
		}
	}
	p := page.New()
	p.Add(v)
	if file := write(t, p); len(file) > 1<<20 || len(p.Violations) != 1 {
		t.Fatalf("%d bytes, %d violations", len(file), len(p.Violations))
	}
	got, want := p.Violations[0], *v
	if e := got.History.Transactions[1].Events[0]; e.Text != strings.Repeat("ä", 4000)+"… (200000 characters)" || e.Value != e.Text {
		t.Errorf("%d characters of text", len([]rune(e.Text)))
	}
	for i, txn := range want.History.Transactions {
		for j := range txn.Events {
			txn.Events[j].Text, txn.Events[j].Value = "", nil
			got.History.Transactions[i].Events[j].Text, got.History.Transactions[i].Events[j].Value = "", nil
		}
	}
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	if diff := cmp.Diff(string(a), string(b)); diff != "" {
		t.Error(diff)
	}
	huge := *v
	huge.Program = strings.Repeat("x", 2<<20)
	p = page.New()
	p.Add(&huge)
	if len(p.Violations) != 0 || p.LeftOut != 1 {
		t.Error("a name is cut")
	}
}
