package postgres

import (
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation/statement"
)

// parse reads the statements of a transaction, separated by "; ":
//
//	get ID [LOCK [WAIT]]      scan [BOUND [LOCK [WAIT]]]   count BOUND
//	upd ID +C   upd all +C    updfrom BOUND +C   u ID U     set ID +C (from $local)
//	del ID   delfrom BOUND    ins ID V [U [CONFLICT]]
//	child ID TID   delchild ID   save   back   abort   goon   readonly
//
// all is no bound.
func parse(t *testing.T, text string) (txn statement.Transaction) {
	t.Helper()
	for _, part := range strings.Split(text, "; ") {
		f := strings.Fields(part)
		switch f[0] {
		case "abort":
			txn.Rollback = true
		case "goon":
			txn.GoOn = true
		case "readonly":
			txn.ReadOnly = true
		default:
			txn.Stmts = append(txn.Stmts, parseStatement(t, f))
		}
	}
	return txn
}

func parseStatement(t *testing.T, f []string) statement.Statement {
	t.Helper()
	var n [4]int
	words := []string{"", ""}
	for i, x := range f[1:] {
		if _, err := fmt.Sscanf(x, "%d", &n[i]); err == nil {
			continue
		}
		if x == "all" {
			n[i] = statement.All
		} else if words[0] == "" {
			words[0] = x
		} else {
			words[1] = x
		}
	}
	st := statement.Statement{ID: n[0], C: n[1]}
	switch f[0] {
	case "get":
		st = statement.Statement{Op: statement.Get, ID: n[0], Lock: words[0], Wait: words[1]}
	case "scan":
		st = statement.Statement{Op: statement.Scan, D: statement.All, Lock: words[0], Wait: words[1]}
		if len(f) > 1 {
			st.D = n[0]
		}
	case "count":
		st = statement.Statement{Op: statement.Agg, D: n[0]}
	case "upd":
		st.Op = statement.UpdKey
		if n[0] == statement.All {
			st = statement.Statement{Op: statement.UpdPred, D: statement.All, C: n[1]}
		}
	case "updfrom":
		st = statement.Statement{Op: statement.UpdPred, D: n[0], C: n[1]}
	case "u":
		st = statement.Statement{Op: statement.UpdU, ID: n[0], U: n[1]}
	case "set":
		st.Op = statement.UpdLocal
	case "del":
		st = statement.Statement{Op: statement.DelKey, ID: n[0]}
	case "delfrom":
		st = statement.Statement{Op: statement.DelPred, D: n[0]}
	case "ins":
		st = statement.Statement{Op: statement.Insert, ID: n[0], C: n[1], U: n[2], Conflict: words[0]}
	case "child":
		st = statement.Statement{Op: statement.Child, C: n[0], ID: n[1]}
	case "delchild":
		st = statement.Statement{Op: statement.DelChild, C: n[0]}
	case "save":
		st = statement.Statement{Op: statement.Save}
	case "back":
		st = statement.Statement{Op: statement.BackTo}
	default:
		t.Fatalf("unknown statement %q", f)
	}
	return st
}

// sessionsOf is a program with one transaction a session, on the rows (1, 10) and
// (2, 20).
func sessionsOf(t *testing.T, level string, sessions ...string) *statement.Program {
	t.Helper()
	p := &statement.Program{DB: statement.PostgreSQL, Level: level, Rows: []statement.Row{{ID: 1, V: 10}, {ID: 2, V: 20}}}
	for _, s := range sessions {
		p.Sessions = append(p.Sessions, []statement.Transaction{parse(t, s)})
		p.HasChild = p.HasChild || strings.Contains(s, "child")
	}
	return p
}

// trace runs a schedule and says what each step returned. Steps of sessions that
// have ended are left out.
func trace(t *testing.T, p *statement.Program, schedule string) string {
	t.Helper()
	m, err := NewMachine(p, false)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, digit := range schedule {
		choice := Choice{Kind: RunSession, N: int8(digit - '0')}
		enabled := false
		for _, c := range m.Enabled(nil) {
			enabled = enabled || c == choice
		}
		if !enabled {
			continue
		}
		m.Step(choice)
		var done []string
		for _, c := range m.Done() {
			done = append(done, fmt.Sprintf("%d:%s", c.Session, c.Result))
		}
		if done == nil {
			done = []string{"-"}
		}
		out = append(out, strings.Join(done, ","))
	}
	return strings.Join(out, " ")
}
