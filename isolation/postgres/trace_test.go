package postgres

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/isolation/statement/rules"
)

// sessionsOf is a program with one transaction a session, on the rows (1, 10) and
// (2, 20).
func sessionsOf(t *testing.T, level string, sessions ...string) *statement.Program {
	t.Helper()
	p := &statement.Program{DB: statement.PostgreSQL, Level: level, Rows: []statement.Row{{ID: 1, V: 10}, {ID: 2, V: 20}}}
	return rules.Sessions(t, p, sessions...)
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
		if !slices.Contains(m.Enabled(nil), choice) {
			continue
		}
		m.Step(choice)
		var done []string
		for _, c := range m.Done() {
			done = append(done, fmt.Sprintf("%d:%s", c.Session, c.Result))
		}
		out = append(out, rules.Step(done))
	}
	return strings.Join(out, " ")
}
