package dpor_test

import (
	"maps"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation/statement"
)

// What reads in autocommit at SERIALIZABLE commits: it is no transaction that is rolled back, as
// one that does not count. With the writer it reads beside and one that has committed before it
// is a dangerous structure (Ports and Grittner, VLDB 2012, section 3.2: the read-only anomaly).
func TestReadersInAutocommit(t *testing.T) {
	t.Parallel()
	get := func(id int) statement.Statement { return statement.Statement{Op: statement.Get, ID: id} }
	add := func(id int) statement.Statement { return statement.Statement{Op: statement.UpdKey, ID: id, C: 1} }
	locked := statement.Statement{Op: statement.Get, ID: 2, Lock: statement.ForUpdate}
	txn := func(list ...statement.Statement) statement.Transaction { return statement.Transaction{Stmts: list} }
	auto := func(s statement.Statement) statement.Transaction {
		return statement.Transaction{Stmts: []statement.Statement{s}, Auto: true}
	}
	gives := txn(get(1), add(3))
	back := gives
	back.Rollback = true
	for name, test := range map[string]struct {
		writer  statement.Transaction
		reader  []statement.Transaction
		outcome int
	}{
		"autocommit":            {back, []statement.Transaction{auto(get(3))}, 3},
		"BEGIN":                 {back, []statement.Transaction{txn(get(3))}, 3},
		"the writer commits":    {gives, []statement.Transaction{auto(get(3))}, 6},
		"another read after it": {back, []statement.Transaction{auto(get(3)), auto(get(2))}, 3},
		"a lock after it":       {back, []statement.Transaction{auto(get(3)), auto(locked)}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			p := &statement.Program{DB: statement.PostgreSQL, Level: statement.Serializable, Rows: []statement.Row{{ID: 1, V: 10}, {ID: 2, V: 20}, {ID: 3, V: 30}},
				Sessions: [][]statement.Transaction{{txn(add(1))}, {test.writer}, test.reader}}
			want := modelOutcomes(t, p)
			if len(want) != test.outcome {
				t.Fatalf("the statements have %d outcomes, want %d:\n%s", len(want), test.outcome, sorted(want))
			}
			if got, _ := onDatabase(t, p, dpor.Options{}); !maps.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", sorted(got), sorted(want))
			}
		})
	}
}
