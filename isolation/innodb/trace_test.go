package innodb

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation/statement"
)

// forms are the statements of a transaction as text, one to a form:
//
//	get ID [LOCK [WAIT]]            scan BOUND [LOCK [WAIT]]     count BOUND
//	range BY LOW HIGH [LOCK [WAIT]] updrange BY LOW HIGH +C
//	upd ID +C   updfrom BOUND +C    u ID U    id ID NEW    del ID   delfrom BOUND
//	ins ID V [U [CONFLICT]]         child ID TID   delchild ID   save   back   abort
//
// all is no bound. A form gets the numbers and the words behind its name.
var forms = map[string]func(n []int, w []string) statement.Statement{
	"get": func(n []int, w []string) statement.Statement {
		return statement.Statement{Op: statement.Get, ID: n[0], Lock: w[0], Wait: w[1]}
	},
	"scan": func(n []int, w []string) statement.Statement {
		return statement.Statement{Op: statement.Scan, D: n[0], Lock: w[0], Wait: w[1]}
	},
	"count": func(n []int, w []string) statement.Statement { return statement.Statement{Op: statement.Agg, D: n[0]} },
	"range": func(n []int, w []string) statement.Statement {
		return statement.Statement{Op: statement.Range, By: w[0], D: n[0], E: n[1], Lock: w[1], Wait: w[2]}
	},
	"updrange": func(n []int, w []string) statement.Statement {
		return statement.Statement{Op: statement.UpdRange, By: w[0], D: n[0], E: n[1], C: n[2]}
	},
	"upd": func(n []int, w []string) statement.Statement {
		return statement.Statement{Op: statement.UpdKey, ID: n[0], C: n[1]}
	},
	"updfrom": func(n []int, w []string) statement.Statement {
		return statement.Statement{Op: statement.UpdPred, D: n[0], C: n[1]}
	},
	"u": func(n []int, w []string) statement.Statement {
		return statement.Statement{Op: statement.UpdU, ID: n[0], U: n[1]}
	},
	"id": func(n []int, w []string) statement.Statement {
		return statement.Statement{Op: statement.UpdID, ID: n[0], C: n[1]}
	},
	"del": func(n []int, w []string) statement.Statement {
		return statement.Statement{Op: statement.DelKey, ID: n[0]}
	},
	"delfrom": func(n []int, w []string) statement.Statement {
		return statement.Statement{Op: statement.DelPred, D: n[0]}
	},
	"ins": func(n []int, w []string) statement.Statement {
		return statement.Statement{Op: statement.Insert, ID: n[0], C: n[1], U: n[2], Conflict: w[0]}
	},
	"child": func(n []int, w []string) statement.Statement {
		return statement.Statement{Op: statement.Child, C: n[0], ID: n[1]}
	},
	"delchild": func(n []int, w []string) statement.Statement {
		return statement.Statement{Op: statement.DelChild, C: n[0]}
	},
	"save": func(n []int, w []string) statement.Statement { return statement.Statement{Op: statement.Save} },
	"back": func(n []int, w []string) statement.Statement { return statement.Statement{Op: statement.BackTo} },
}

// parse reads a transaction: forms, separated by "; ". It ends with ROLLBACK if
// its last word is abort, and goes on after errors if it begins with goon.
func parse(t *testing.T, text string) (txn statement.Transaction) {
	t.Helper()
	text, txn.Rollback = strings.CutSuffix(text, "; abort")
	text, txn.GoOn = strings.CutPrefix(text, "goon; ")
	for _, part := range strings.Split(text, "; ") {
		fields := strings.Fields(part)
		form := forms[fields[0]]
		if form == nil {
			t.Fatalf("unknown statement %q", part)
		}
		var numbers []int
		var words []string
		for _, f := range fields[1:] {
			n := statement.All
			if _, err := fmt.Sscan(f, &n); err == nil || f == "all" {
				numbers = append(numbers, n)
			} else {
				words = append(words, f)
			}
		}
		txn.Stmts = append(txn.Stmts, form(append(numbers, 0, 0, 0), append(words, "", "", "")))
	}
	return txn
}

// trace runs a schedule of sessions with one transaction each on the rows (1,
// 10), (2, 20) and (4, 40), and says what each step returned: - if it blocks,
// and what it releases with it.
func trace(t *testing.T, level string, sessions []string, schedule string) string {
	t.Helper()
	p := &statement.Program{DB: statement.MariaDB, Level: level, IndexV: true,
		Rows: []statement.Row{{ID: 1, V: 10, U: 7}, {ID: 2, V: 20}, {ID: 4, V: 40}}}
	for _, s := range sessions {
		p.Sessions = append(p.Sessions, []statement.Transaction{parse(t, s)})
		p.HasChild = p.HasChild || strings.Contains(s, "child")
	}
	m, err := NewMachine(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, digit := range schedule {
		c := Choice{Kind: RunSession, N: int8(digit - '0')}
		if !slices.Contains(m.Enabled(nil), c) {
			t.Fatalf("%q by %s: session %c cannot go on after %v", sessions, schedule, digit, out)
		}
		m = ends(m, c)[0]
		if err := m.Check(); err != nil {
			t.Error(err)
		}
		var done []string
		for _, d := range m.Done() {
			done = append(done, fmt.Sprintf("%d:%s", d.Session, d.Result))
		}
		out = append(out, strings.Join(append(done, []string{"-"}[min(len(done), 1):]...), ","))
	}
	return strings.Join(out, " ")
}
