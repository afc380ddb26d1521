package dpor_test

import (
	"maps"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg/engine/pglite"
)

// TestEntryOrder: an entry of an index leads to the first version of a row that was updated in place, also
// when nothing else of that version is left. Its place decides the order of rows with equal keys. Two orders of
// steps lead to the same rows with entries in different orders, and a scan of the index tells them apart.
func TestEntryOrder(t *testing.T) {
	t.Parallel()
	if o, err := pglite.DefaultOptions(); err != nil {
		t.Skip(err)
	} else if _, err := pglite.Open(t.Context(), o); err != nil {
		t.Skip(err)
	}
	const table = "CREATE TABLE r (id int PRIMARY KEY, k int, v int); CREATE INDEX ON r (k);"
	const scan = "SET enable_seqscan = off; SELECT id, v FROM r WHERE k = 5"
	s := &sqltest.Script{Schema: table, Sessions: [][]string{
		{"INSERT INTO r VALUES (1, 5, 0)", "UPDATE r SET v = 1 WHERE id = 1"}, {"INSERT INTO r VALUES (2, 5, 0)", "UPDATE r SET v = 1 WHERE id = 2"}, {scan}}}
	want, _ := scriptOutcomes(t, s, "READ COMMITTED", isolation.PgRC, true)
	got, _ := scriptOutcomes(t, s, "READ COMMITTED", isolation.PgRC, false)
	if !maps.Equal(got, want) {
		t.Errorf("by states\n%s\nby every path\n%s", sorted(got), sorted(want))
	}
}
