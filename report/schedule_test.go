package report_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/txmc/txmc/report"
)

// The steps of an execution fit a report's width, and no word is broken: a wide operation goes
// on below its beginning, or, where it is very wide, stands below its step.
func TestStepsFit(t *testing.T) {
	short := "UPDATE account SET balance = balance - 10 WHERE id = 1"
	for name, statement := range map[string]string{"beside": short, "below": strings.Repeat(short+" AND ", 5) + "true",
		"word": "INSERT INTO token VALUES ('" + strings.Repeat("0123456789", 4) + "')"} {
		t.Run(name, func(t *testing.T) {
			v := &report.Violation{Iso: "pg-rc"}
			for i, who := range []string{"first", "second"} {
				v.Schedule = append(v.Schedule, report.Operation{
					Step: i + 1, Session: who, Name: "withdraw", What: report.StepRan, Op: report.OpStatement, Statement: statement,
					At: "internal/accounts/repository/withdraw.go:119", Rows: []string{"reads account {id:1 balance:100}"},
				})
			}
			v.Schedule = append(v.Schedule, report.Operation{Step: 3, Session: "first", Name: "withdraw", What: report.StepRan, Op: "commit"})
			got := (&report.Text{}).Violation(v)
			golden(t, "steps-"+name+".golden", got)
			for line := range strings.Lines(got) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
					t.Errorf("%d columns: %s", n, line)
				}
			}
			words := strings.Fields(got)
			for _, w := range strings.Fields(strings.Repeat(statement+" ", 2)) {
				i := 0
				for i < len(words) && words[i] != w {
					i++
				}
				if i == len(words) {
					t.Fatalf("%q is broken, or left out:\n%s", w, got)
				}
				words = words[i+1:]
			}
		})
	}
}

// The head says which levels the transactions have, whatever the exploration gives to those that ask
// for none; and the weakest level that prevents the violation is named, with its cost.
func TestLevelsOfTransactions(t *testing.T) {
	ran := func(session, name, level, op string) report.Operation {
		return report.Operation{Step: 1, Session: session, Name: name, Level: level, What: report.StepRan, Op: op, Statement: "SELECT 1"}
	}
	for want, schedule := range map[string][]report.Operation{
		"  PostgreSQL READ COMMITTED\n": {ran("a", "pay", "", report.OpUpdate), ran("a", "pay", "", report.OpCommit)},
		"  PostgreSQL SERIALIZABLE\n":   {ran("a", "pay", "pg-ser", report.OpStatement), ran("a", "pay", "", report.OpCommit), ran("final", "sum", "pg-rc", report.OpStatement)},
		"  PostgreSQL SERIALIZABLE: pay; READ COMMITTED: look, list\n": {
			ran("a", "pay", "pg-ser", report.OpStatement), ran("b", "look", "pg-rc", report.OpStatement), ran("b", "list", "pg-rc", report.OpStatement), ran("a", "pay", "pg-ser", report.OpStatement)},
	} {
		v := &report.Violation{Iso: "pg-rc", Execution: report.Execution{Schedule: schedule}}
		v.AtSER, v.ErrorsAtSER, v.PreventedAt = "holds", []string{"40001", "40P01"}, "pg-rr"
		got := (&report.Text{}).Violation(v)
		if !strings.Contains(got, want) || !strings.Contains(got, "  REPEATABLE READ prevents this\n") {
			t.Errorf("want %q in\n%s", want, got)
		}
		v.PreventedAt, v.ErrorsThere = "pg-ser", []string{"40001"}
		if got := (&report.Text{}).Violation(v); !strings.Contains(got, "  SERIALIZABLE prevents this: there code has to expect 40001\n") {
			t.Error(got)
		}
	}
}
