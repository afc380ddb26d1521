package structure

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program/deadlinetest"
)

const sumsSchema = `CREATE TABLE t (id int PRIMARY KEY, a int, b bigint, c numeric, d numeric(6, 1), e int CHECK (e < 9));
	INSERT INTO t VALUES (1, 1, 2, 3.5, 0.5, 4), (2, 2, 2, -1, 1.5, 8), (3, 1, 0, 0, 2.0, 1);`

// randomUpdate is an UPDATE of which half only adds to columns.
func randomUpdate(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	column := func() string { return pick("a", "b", "c", "d", "e") }
	number := func() string { return pick("1", "2", "-3", "0.26", "0.07") }
	used := map[string]bool{}
	var sets []string
	for range 1 + r.IntN(2) {
		c := column()
		if used[c] {
			continue
		}
		used[c] = true
		sets = append(sets, c+" = "+pick(c+" + "+number(), c+" - "+number(), number()+" + "+c, c+" + "+number(), number()+" - "+c, c+" * 2", column()+" + 1", number()))
	}
	where := pick("id = "+pick("1", "2"), "id = 1", "id > 1", column()+" > 1", "true")
	return "UPDATE t SET " + strings.Join(sets, ", ") + " WHERE " + where
}

// Two UPDATEs between which there is no dependency leave the same rows in either order: on random
// ones, run by PostgreSQL.
func TestCommute(t *testing.T) {
	t.Parallel()
	a, err := access.New(t.Context(), pg.Schema(sumsSchema))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	conn, end, err := pg.Connect(t.Context(), nil, pg.Schema(sumsSchema))
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	after := func(first, second string) string {
		results, err := conn.Exec(t.Context(), "BEGIN; "+first+"; "+second+"; SELECT * FROM t ORDER BY id").ReadAll()
		if _, ended := conn.Exec(t.Context(), "ROLLBACK").ReadAll(); ended != nil {
			t.Fatal(ended)
		}
		if err != nil {
			return "an error"
		}
		return fmt.Sprintf("%s", results[len(results)-1].Rows)
	}
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	both := 0 // pairs that add to one column
	for range deadlinetest.Until(t, 400, func() bool { return both > 0 }) {
		sql := [2]string{randomUpdate(r), randomUpdate(r)}
		var steps [2]*Step
		for i := range sql {
			steps[i] = made(t, a, []any{sql[i]}).Steps[0]
		}
		if len(between(steps[0], steps[1])) > 0 {
			continue
		}
		if len(steps[0].Accesses[0].Adds) > 0 && fmt.Sprint(steps[0].Accesses[1].Columns) == fmt.Sprint(steps[1].Accesses[1].Columns) {
			both++
		}
		if one, other := after(sql[0], sql[1]), after(sql[1], sql[0]); one != other {
			t.Errorf("seed %d: %s; %s:\n%s\n%s", seed, sql[0], sql[1], one, other)
		}
	}
}
