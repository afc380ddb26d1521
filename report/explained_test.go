package report_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/txmc/txmc/report"
)

// explained is a write skew with all that its explanation says.
func explained() *report.Violation {
	read := func(key, from string, v any, at string) report.Event {
		return report.Event{Op: "read", Key: key, Value: v, From: from, At: at}
	}
	write := func(key string, v any, at string) report.Event {
		return report.Event{Op: "write", Key: key, Value: v, At: at}
	}
	steps := []report.Step{}
	for _, s := range []string{
		"card/1 begin 0", "card/1 read 1", "card/1 read 2", "order/1 begin 0", "order/1 read 1", "order/1 read 2", "order/1 write 3",
		"order/1 commit 0", "card/1 write 3", "card/1 commit 0", "order/2 begin 0", "order/2 read 1", "order/2 abort 0", "final/1 begin 0",
		"final/1 read 1", "final/1 abort 0",
	} {
		f := strings.Fields(s)
		steps = append(steps, report.Step{Transaction: f[0], Op: f[1], Event: int(f[2][0] - '0')})
	}
	steps[11].Misses = "card/1"
	return &report.Violation{
		Type: report.TypeViolation, Schema: report.Schema, Package: "example.com/bank", Program: "ExploreOverdraft", Iso: "si",
		Failures: []report.Failure{{Kind: "final", Name: "audit", Session: "final", Transaction: "final/1", Message: "the sum is negative", At: "bank.go:52"}},
		History: report.History{
			Transactions: []report.Transaction{
				{ID: "init", Session: "init", Name: "init", Status: "committed", Events: []report.Event{write("checking", 100, ""), write("savings", 100, "")}},
				{ID: "card/1", Session: "card", Index: 1, Name: "pay", Status: "committed", At: "bank.go:40", Events: []report.Event{
					read("checking", "init", 100, "bank.go:41"), read("savings", "init", 100, "bank.go:41"), write("checking", -50, "bank.go:44")}},
				{ID: "order/1", Session: "order", Index: 1, Name: "pay", Status: "committed", At: "bank.go:40", Events: []report.Event{
					read("checking", "init", 100, "bank.go:41"), read("savings", "init", 100, "bank.go:41"), write("savings", -50, "bank.go:44")}},
				{ID: "order/2", Session: "order", Index: 2, Name: "look", Status: "aborted", Error: "enough", At: "bank.go:47", Events: []report.Event{
					read("checking", "init", 100, "bank.go:48")}},
				{ID: "final/1", Session: "final", Index: 1, Name: "audit", Status: "aborted", Error: "the sum is negative", At: "bank.go:50", Events: []report.Event{
					read("checking", "card/1", -50, "bank.go:51")}},
			},
			WR: []report.Edge{
				{From: "init", To: "card/1", Key: "checking"}, {From: "init", To: "card/1", Key: "savings"}, {From: "init", To: "order/1", Key: "checking"},
				{From: "init", To: "order/1", Key: "savings"}, {From: "init", To: "order/2", Key: "checking"}, {From: "card/1", To: "final/1", Key: "checking"},
			},
			Observations: []report.Observation{{Session: "card", Name: "receipt", Value: "<&>", At: "bank.go:45", Place: report.Place{After: "card/1"}}},
		},
		Order: []string{"init", "order/1", "card/1", "order/2", "final/1"},
		Explanation: &report.Explanation{
			Allowed: []string{"rc", "ra", "cc", "pc", "si"}, Forbidden: []string{"ser"}, ForbiddenBy: "ser",
			Anomaly: &report.Anomaly{Name: "write skew", Aka: "A5B", Class: "G2-item", Definition: "two transactions each read what the other overwrites", Source: "Berenson A5B"},
			Proof: report.Proof{Cycle: []report.Dependency{
				{Kind: "rw", From: "card/1", To: "order/1", Key: "savings", Reader: "card/1", Event: 2, Reason: &report.Reason{Rule: "overwritten", Source: "init"}},
				{Kind: "rw", From: "order/1", To: "card/1", Key: "checking", Reader: "order/1", Event: 1, Reason: &report.Reason{Rule: "overwritten", Source: "init"}},
			}},
			Words: report.Words{Title: "write skew (A5B, G2-item)", Levels: "allowed at rc, ra, cc, pc, si; forbidden at ser",
				Sentences: []string{"card read savings = 100 before order's write.", "order read checking = 100 before card's write."}},
			Steps: steps, FirstNonSerial: 8,
			Dependencies: []report.Dependency{{Kind: "rw", From: "order/2", To: "card/1", Key: "checking", Reader: "order/2", Event: 1}},
			After: []report.Last{
				{Key: "checking", Values: []report.Written{{Value: -50, By: "card/1"}}},
				{Key: "savings", Values: []report.Written{{Value: -50, By: "order/1"}, {Value: 100, By: "card/1"}}},
			},
		},
	}
}

func TestExplained(t *testing.T) {
	golden(t, "explained.golden", (&report.Text{}).Violation(explained()))
}

func TestExplainedJSON(t *testing.T) {
	golden(t, "explained.json", strings.NewReplacer(`,"`, ",\n \"", "},{", "},\n{").Replace(line(t, explained())))
}

// Colours change nothing but colours.
func TestColour(t *testing.T) {
	plain, coloured := (&report.Text{}).Violation(explained()), (&report.Text{Colour: true}).Violation(explained())
	golden(t, "coloured.golden", coloured)
	without := escape.ReplaceAllString(coloured, "")
	if plain != without {
		t.Errorf("plain:\n%s\ncoloured, without the colours:\n%s", plain, without)
	}
	if escape.MatchString(plain) {
		t.Error("plain text has colours")
	}
}

// withSessions is a violation with more sessions, which do nothing.
func withSessions(names ...string) *report.Violation {
	v := explained()
	for _, name := range names {
		id := name + "/1"
		v.History.Transactions = append(v.History.Transactions, report.Transaction{ID: id, Session: name, Index: 1, Name: "t", Status: "committed"})
		v.Explanation.Steps = append(v.Explanation.Steps, report.Step{Transaction: id, Op: "begin"}, report.Step{Transaction: id, Op: "commit"})
	}
	return v
}

// Six sessions have a column each, narrower ones when the last needs more room.
func TestSixSessions(t *testing.T) {
	v := withSessions("client-3", "client-4", "客户", "client-6")
	v.History.Transactions[len(v.History.Transactions)-1].Name = "take what is left over"
	golden(t, "six.golden", (&report.Text{}).Violation(v))
}

// With more sessions than there is room for columns a row names its session.
func TestManySessions(t *testing.T) {
	v := withSessions("a", "b", "c", "d", "e", "f", "g", "h")
	golden(t, "sessions.golden", (&report.Text{}).Violation(v))
	long := strings.Repeat("0123456789", 15)
	v.History.Transactions[2].Events[2].Value = long
	if got := (&report.Text{}).Violation(v); !strings.Contains(strings.Join(strings.Fields(got), ""), long) {
		t.Errorf("the value is not there in full:\n%s", got)
	}
}

// What is cut is the value, and not which transaction wrote it.
func TestCutBeforeOrigin(t *testing.T) {
	v := explained()
	v.History.Transactions[2].Events[0].Value = strings.Repeat("0123456789", 15)
	got := (&report.Text{}).Violation(v)
	if line := regexp.MustCompile(`(?m)^.*read  \w+ = "0123.*$`).FindString(got); !strings.HasSuffix(line, "… ← init") {
		t.Errorf("%s", got)
	}
}

// What can be left out is listed, and when that is everything it is said.
func TestIrrelevant(t *testing.T) {
	card, order, look := report.Part{Session: "card"}, report.Part{Session: "order"}, report.Part{Session: "order", Transaction: "order/2"}
	idle := report.Part{Session: "idle"}
	for _, c := range []struct {
		parts []report.Part
		want  string
	}{
		{nil, ""},
		{[]report.Part{idle, look}, "  irrelevant, as the assertion fails without: session idle; transaction order/2\n"},
		{[]report.Part{idle, {Session: "a"}, {Session: "b"}}, "  irrelevant, as the assertion fails without: sessions idle, a and b\n"},
		{[]report.Part{order, idle, card}, "  the assertion fails even when no session runs\n"},
	} {
		v := withSessions("idle")
		v.Irrelevant = c.parts
		got := (&report.Text{}).Violation(v)
		if c.want != "" && !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "the assertion fails") {
			t.Errorf("%v: want %q in\n%s", c.parts, c.want, got)
		}
	}
}

// A transaction with hundreds of operations does not fill hundreds of lines, and what the
// cycle is about stays.
func TestManyOperations(t *testing.T) {
	for _, n := range []int{90, 500} {
		v := explained()
		txn := &v.History.Transactions[1]
		matter := txn.Events[1]
		txn.Events = nil
		for i := range n {
			e := report.Event{Op: "write", Key: fmt.Sprint("k", i), Value: i, At: "bank.go:41"}
			v.History.Transactions[0].Events = append(v.History.Transactions[0].Events, e)
			if i == n-5 {
				e = matter
			}
			txn.Events = append(txn.Events, e)
		}
		v.Explanation.Steps = nil
		for _, x := range v.History.Transactions[1:] {
			v.Explanation.Steps = append(v.Explanation.Steps, report.Step{Transaction: x.ID, Op: "begin"})
			for i, e := range x.Events {
				v.Explanation.Steps = append(v.Explanation.Steps, report.Step{Transaction: x.ID, Op: e.Op, Event: i + 1})
			}
			v.Explanation.Steps = append(v.Explanation.Steps, report.Step{Transaction: x.ID, Op: "end"})
		}
		got := (&report.Text{}).Violation(v)
		if short := strings.Contains(got, "… and 459 more operations"); short != (n == 500) || n == 90 && strings.Contains(got, "more operations") {
			t.Errorf("%d operations:\n%s", n, got)
		}
		if lines := strings.Count(got, "\n"); n == 500 && lines > 160 {
			t.Errorf("%d lines", lines)
		}
		if !strings.Contains(got, "read  savings = 100") {
			t.Errorf("%d operations: that of the cycle is not shown\n%s", n, got)
		}
	}
}

// A panic is no assertion, and one of an Invariant is in no session. Control characters of
// messages do not reach the terminal.
func TestPanicText(t *testing.T) {
	v := withSessions("idle")
	v.Irrelevant = []report.Part{{Session: "idle"}}
	v.Failures = []report.Failure{{Kind: "panic", Name: "sum", Message: "panic: \x1b[31mred\a\nand more", At: "bank.go:9"}}
	got := (&report.Text{}).Violation(v)
	for _, want := range []string{"  panic in invariant \"sum\" (bank.go:9): panic: ·[31mred·\n    and more\n", "  irrelevant, as the panic comes without: session idle\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
}

// Control characters of names do not reach the terminal, and a name stays in its line.
func TestNamesWithControls(t *testing.T) {
	v := explained()
	for i := range v.History.Transactions[1:] {
		v.History.Transactions[1+i].Session += "\x1b[3\nx"
	}
	for i := range v.Explanation.After {
		v.Explanation.After[i].Key += "\x1b[3\nx"
	}
	got := (&report.Text{}).Violation(v)
	if strings.Contains(got, "\x1b") || strings.Contains(got, "\nx") || strings.Count(got, "·[3⏎x") < 8 {
		t.Errorf("%q", got)
	}
}

// What does not fit its cell stands below the table in full.
func TestCut(t *testing.T) {
	v := explained()
	long := strings.Repeat("0123456789", 15)
	v.History.Transactions[2].Events[2].Value = long
	got := (&report.Text{}).Violation(v)
	golden(t, "cut.golden", got)
	if joined := strings.Join(strings.Fields(got), ""); !strings.Contains(joined, long) {
		t.Error("the value is not there in full")
	}
	for l := range strings.Lines(got) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(l, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, l)
		}
	}
}

// A history that every level allows is not blamed on isolation.
func TestSerializable(t *testing.T) {
	v := explained()
	e := v.Explanation
	e.Allowed, e.Forbidden, e.ForbiddenBy, e.Anomaly, e.Proof, e.FirstNonSerial = append(e.Allowed, "ser"), []string{}, "", nil, report.Proof{}, -1
	e.Words = report.Words{Levels: "allowed at every level: isolation is not the cause, this history is serializable"}
	got := (&report.Text{}).Violation(v)
	if !strings.Contains(got, "isolation is not the cause") || strings.Contains(got, "cycle") || strings.Contains(got, "no serial order") {
		t.Errorf("%s", got)
	}
}

var escape = regexp.MustCompile("\x1b\\[[0-9]*m")
