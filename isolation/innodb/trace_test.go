package innodb

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/isolation/statement/rules"
)

// trace runs a schedule of sessions with one transaction each on the rows (1,
// 10), (2, 20) and (4, 40), and says what each step returned: - if it blocks,
// and what it releases with it.
func trace(t *testing.T, level string, sessions []string, schedule string) string {
	t.Helper()
	p := &statement.Program{DB: statement.MariaDB, Level: level, IndexV: true,
		Rows: []statement.Row{{ID: 1, V: 10, U: 7}, {ID: 2, V: 20}, {ID: 4, V: 40}}}
	m, err := NewMachine(rules.Sessions(t, p, sessions...), Options{})
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
		out = append(out, rules.Step(done))
	}
	return strings.Join(out, " ")
}
