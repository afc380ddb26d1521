package statements

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/explore/find/parsed"
	"github.com/txmc/txmc/mysql"
)

const sums = `CREATE TABLE t (id INT PRIMARY KEY, a INT, b BIGINT, c DECIMAL(8,1), e INT, x DOUBLE, CHECK (e < 9));
	INSERT INTO t VALUES (1, 1, 2, 3.5, 4, 0.1), (2, 2, 2, -1, 8, 0.2), (3, 1, 0, 0, 1, 0.3);`

// randomUpdate is an UPDATE of which half only adds to columns.
func randomUpdate(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	column := func() string { return pick("a", "b", "c", "e", "x") }
	number := func() string { return pick("1", "2", "-3", "0.26", "0.5", "7") }
	var sets, used []string
	for range 1 + r.IntN(2) {
		c := column()
		if slices.Contains(used, c) {
			continue
		}
		used = append(used, c)
		sets = append(sets, c+" = "+pick(c+" + "+number(), c+" - ("+number()+")", number()+" + "+c, c+" + "+number(), number()+" - "+c, c+" * 2", column()+" + 1", number()))
	}
	return "UPDATE t SET " + strings.Join(sets, ", ") + " WHERE " + pick("id = "+pick("1", "2"), "id = 1", "id > 1", column()+" > 1", "TRUE")
}

// independent reports whether two UPDATEs of a table have no column in common that one of them changes, but for
// those to which both add.
func independent(a, b []parsed.Access) bool {
	adds := func(a parsed.Access, c int) bool {
		return slices.ContainsFunc(a.Adds, func(x parsed.Addition) bool { return x.Column == c })
	}
	for _, x := range a {
		for _, y := range b {
			for _, c := range x.Columns {
				if (x.Kind == parsed.Update || y.Kind == parsed.Update) && slices.Contains(y.Columns, c) && !(adds(x, c) && adds(y, c)) {
					return false
				}
			}
		}
	}
	return true
}

// Two UPDATEs between which there is no dependency leave the same rows in either order: on random ones, run by
// the engine.
func TestCommute(t *testing.T) {
	s, err := New(sums)
	if err != nil {
		t.Fatal(err)
	}
	after := func(first, second string) string {
		image, err := mysql.NewImage(mysql.Schema(sums), mysql.Seed(first+"; "+second))
		if err != nil {
			return "an error"
		}
		return fmt.Sprint(image.Initial())
	}
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	both := 0
	for range 400 {
		one, other := randomUpdate(r), randomUpdate(r)
		a, _, err := s.Analyse(one)
		b, _, failed := s.Analyse(other)
		if err != nil || failed != nil {
			t.Fatal(one, err, other, failed)
		}
		if !independent(a, b) {
			continue
		}
		if len(a[0].Adds) > 0 && fmt.Sprint(a[0].Adds) == fmt.Sprint(b[0].Adds) {
			both++
		}
		if x, y := after(one, other), after(other, one); x != y {
			t.Errorf("seed %d: %s; %s:\n%s\n%s", seed, one, other, x, y)
		}
	}
	if both == 0 {
		t.Errorf("seed %d: no two add to one column", seed)
	}
}
