package structure

import (
	"slices"
	"testing"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/pg"
)

// made is a transaction in which statements have arguments. p and q are parameters. A number is
// the first column that the statement of that number has found.
func made(t *testing.T, a *access.Analyser, statements ...[]any) *Transaction {
	t.Helper()
	call := &source.Call{Name: "call"}
	tx := &Transaction{Transaction: &source.Transaction{Call: call, Name: "call"}}
	call.Transactions = []*source.Transaction{tx.Transaction}
	for _, parts := range statements {
		s := &source.Statement{Transaction: tx.Transaction, Number: len(tx.Steps), SQL: parts[0].(string)}
		for _, arg := range parts[1:] {
			switch arg := arg.(type) {
			case string:
				s.Args = append(s.Args, &source.Value{Op: source.Param, Path: arg})
			case int:
				s.Args = append(s.Args, &source.Value{Op: source.Result, Statement: tx.Steps[arg].Statement})
			}
		}
		effect, err := a.Analyse(t.Context(), s.SQL)
		if err != nil {
			t.Fatal(s.SQL, err)
		}
		tx.Steps = append(tx.Steps, &Step{Statement: s, Effect: effect, Of: tx})
	}
	return tx
}

// Cycles that no run has. A transaction that has found a row cannot come before the row's
// insertion. A transaction that inserts a row that is there does nothing any more.
func TestContradicts(t *testing.T) {
	t.Parallel()
	a, err := access.New(t.Context(), pg.Schema(`CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL);
		CREATE TABLE job (shop int, id int, PRIMARY KEY (shop, id)); CREATE TABLE total (shop int PRIMARY KEY, jobs int NOT NULL);`))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	const (
		next    = "SELECT n FROM counter WHERE id = $1"
		count   = "UPDATE counter SET n = n + 1 WHERE id = $1"
		insert  = "INSERT INTO job VALUES ($1, $2)"
		upsert  = "INSERT INTO job VALUES ($1, $2) ON CONFLICT DO NOTHING"
		oldest  = "SELECT id FROM job WHERE shop = $1 ORDER BY id LIMIT 1"
		look    = "SELECT shop FROM job WHERE shop = $1 AND id = $2"
		remove  = "DELETE FROM job WHERE shop = $1 AND id = $2"
		add     = "UPDATE total SET jobs = greatest(jobs, 0) + 1 WHERE shop = $1" // as sums by themselves commute
		counted = "SELECT jobs FROM total WHERE shop = $1"
	)
	take := [][]any{{oldest, "p"}, {remove, "p", 0}}
	for _, test := range []struct {
		name  string
		calls [2][][]any
		// texts of a cycle: out of the first, into the second, out of the second, into the first
		out, to, from, in string
		none              bool
	}{
		{"a row that was found", [2][][]any{take, {{insert, "p", "q"}}}, oldest, insert, insert, remove, true},
		{"by its key alone, which may find nothing", [2][][]any{{{look, "p", "q"}, {remove, "p", "q"}}, {{insert, "p", "q"}}}, look, insert, insert, remove, false},
		{"of which one may be there", [2][][]any{take, {{upsert, "p", "q"}}}, oldest, upsert, upsert, remove, false},
		{"two that take one number", [2][][]any{{{next, "p"}, {count, "p"}, {insert, "p", 0}, {add, "p"}}, {{next, "p"}, {count, "p"}, {insert, "p", 0}, {add, "p"}}}, next, count, add, add, true},
		{"before the second is refused", [2][][]any{{{next, "p"}, {count, "p"}, {insert, "p", 0}, {add, "p"}}, {{next, "p"}, {count, "p"}, {insert, "p", 0}, {add, "p"}}}, next, count, insert, insert, false},
		{"numbers of others", [2][][]any{{{next, "p"}, {count, "p"}, {insert, "q", 0}, {add, "p"}}, {{next, "p"}, {count, "p"}, {insert, "q", 0}, {add, "p"}}}, next, count, add, add, false},
		{"a read after the own write", [2][][]any{{{count, "p"}, {next, "p"}, {insert, "p", 1}, {add, "p"}}, {{counted, "p"}, {count, "p"}, {next, "p"}, {insert, "p", 2}, {add, "p"}}}, next, count, add, add, false},
	} {
		x, y := made(t, a, test.calls[0]...), made(t, a, test.calls[1]...)
		step := func(tx *Transaction, sql string) *Step {
			return tx.Steps[slices.IndexFunc(tx.Steps, func(s *Step) bool { return s.SQL == sql })]
		}
		dependency := func(s, t *Step, kind Kind) *Dependency {
			for _, d := range between(s, t) {
				if d.Kind == kind || kind != RW && d.Kind != RW {
					return d
				}
			}
			return nil
		}
		s := &Structure{
			Nodes:        []Node{{step(x, test.in), step(x, test.out)}, {step(y, test.to), step(y, test.from)}},
			Dependencies: []*Dependency{dependency(step(x, test.out), step(y, test.to), RW), dependency(step(y, test.from), step(x, test.in), WW)},
		}
		if s.Dependencies[0] == nil || s.Dependencies[1] == nil {
			t.Fatalf("%s: no such cycle", test.name)
		}
		if got := ReadCommitted.contradicts(s); got != test.none {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
