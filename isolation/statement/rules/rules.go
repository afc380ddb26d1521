// Package rules has the frame of the tests that hold a database's model against single
// claims of its documentation: each with statements of a few sessions, a schedule, and
// what every step returns. Only tests import it.
package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation/statement"
)

// Rule is a claim about a database with an example. A step that blocks returns -; what
// it releases is in the same step.
type Rule struct {
	Claim    string
	Source   string // a section of the documentation, or a function of the database
	Level    string
	Sessions []string // one transaction each, as Parse reads it
	Schedule string   // digits: the sessions, in the order of their steps
	Want     string
}

// Check checks a claim. trace runs the sessions of a rule by its schedule and says what
// each step returned: see Step.
func Check(t *testing.T, r Rule, trace func(t *testing.T, level string, sessions []string, schedule string) string) {
	t.Helper()
	if got := trace(t, r.Level, r.Sessions, r.Schedule); got != r.Want {
		t.Errorf("%s (%s)\n at %s: %q, schedule %s\n got  %s\n want %s", r.Claim, r.Source, r.Level, r.Sessions, r.Schedule, got, r.Want)
	}
}

// Step is the text of a step: what sessions have received, or - if nobody has.
func Step(done []string) string {
	if len(done) == 0 {
		return "-"
	}
	return strings.Join(done, ",")
}

// Sessions adds sessions with one transaction each to a program.
func Sessions(t *testing.T, p *statement.Program, sessions ...string) *statement.Program {
	t.Helper()
	for _, s := range sessions {
		p.Sessions = append(p.Sessions, []statement.Transaction{Parse(t, s)})
		p.HasChild = p.HasChild || strings.Contains(s, "child")
	}
	return p
}

// operands are the numbers and words behind the name of a statement.
type operands struct {
	numbers []int
	words   []string
}

// n is a number; or if it is not there.
func (o operands) n(i, or int) int {
	if i < len(o.numbers) {
		return o.numbers[i]
	}
	return or
}

func (o operands) w(i int) string {
	if i < len(o.words) {
		return o.words[i]
	}
	return ""
}

// forms are the statements of a transaction as text, one to a form:
//
//	get ID [LOCK [WAIT]]            scan [BOUND [LOCK [WAIT]]]     count BOUND
//	range BY LOW HIGH [LOCK [WAIT]] updrange BY LOW HIGH +C
//	upd ID +C   upd all +C    updfrom BOUND +C   set ID +C (from $local)   u ID U    id ID NEW
//	del ID   delfrom BOUND    ins ID V [U [CONFLICT]]
//	child ID TID   delchild ID   updchild ID TID   save   back
//
// all is no bound.
var forms = map[string]func(o operands) statement.Statement{
	"get": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.Get, ID: o.n(0, 0), Lock: o.w(0), Wait: o.w(1)}
	},
	"scan": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.Scan, D: o.n(0, statement.All), Lock: o.w(0), Wait: o.w(1)}
	},
	"count": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.Agg, D: o.n(0, statement.All)}
	},
	"range": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.Range, By: o.w(0), D: o.n(0, 0), E: o.n(1, 0), Lock: o.w(1), Wait: o.w(2)}
	},
	"updrange": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.UpdRange, By: o.w(0), D: o.n(0, 0), E: o.n(1, 0), C: o.n(2, 0)}
	},
	"upd": func(o operands) statement.Statement {
		if o.n(0, 0) == statement.All {
			return statement.Statement{Op: statement.UpdPred, D: statement.All, C: o.n(1, 0)}
		}
		return statement.Statement{Op: statement.UpdKey, ID: o.n(0, 0), C: o.n(1, 0)}
	},
	"updfrom": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.UpdPred, D: o.n(0, 0), C: o.n(1, 0)}
	},
	"set": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.UpdLocal, ID: o.n(0, 0), C: o.n(1, 0)}
	},
	"u": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.UpdU, ID: o.n(0, 0), U: o.n(1, 0)}
	},
	"id": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.UpdID, ID: o.n(0, 0), C: o.n(1, 0)}
	},
	"del": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.DelKey, ID: o.n(0, 0)}
	},
	"delfrom": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.DelPred, D: o.n(0, 0)}
	},
	"ins": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.Insert, ID: o.n(0, 0), C: o.n(1, 0), U: o.n(2, 0), Conflict: o.w(0)}
	},
	"child": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.Child, C: o.n(0, 0), ID: o.n(1, 0)}
	},
	"delchild": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.DelChild, C: o.n(0, 0)}
	},
	"updchild": func(o operands) statement.Statement {
		return statement.Statement{Op: statement.UpdChild, C: o.n(0, 0), ID: o.n(1, 0)}
	},
	"save": func(operands) statement.Statement { return statement.Statement{Op: statement.Save} },
	"back": func(operands) statement.Statement { return statement.Statement{Op: statement.BackTo} },
}

// Parse reads a transaction: statements, separated by "; ". Among them, abort lets it end
// with ROLLBACK, goon lets it go on after errors, readonly is READ ONLY, and deferrable is
// READ ONLY DEFERRABLE.
func Parse(t *testing.T, text string) (txn statement.Transaction) {
	t.Helper()
	for _, part := range strings.Split(text, "; ") {
		switch fields := strings.Fields(part); fields[0] {
		case "abort":
			txn.Rollback = true
		case "goon":
			txn.GoOn = true
		case "readonly":
			txn.ReadOnly = true
		case "deferrable":
			txn.ReadOnly, txn.Deferrable = true, true
		default:
			form := forms[fields[0]]
			if form == nil {
				t.Fatalf("unknown statement %q", part)
			}
			txn.Stmts = append(txn.Stmts, form(operandsOf(fields[1:])))
		}
	}
	return txn
}

func operandsOf(fields []string) (o operands) {
	for _, f := range fields {
		n := statement.All
		if _, err := fmt.Sscan(f, &n); err == nil || f == "all" {
			o.numbers = append(o.numbers, n)
		} else {
			o.words = append(o.words, f)
		}
	}
	return o
}
