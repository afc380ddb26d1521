package minimise_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore/minimise"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
)

// Each of three sessions may lose an update of another one: whichever is said to be irrelevant, the
// execution that is shown breaks the assertion without it, and it runs last.
func TestApartExecuted(t *testing.T) {
	t.Parallel()
	c := onDatabase(t, func(p *program.Program) {
		left, sold := program.NewVar(p, "left", 1), program.NewVar(p, "sold", 0)
		for _, name := range []string{"a", "b", "c"} {
			p.Session(name, func(s *program.Session) {
				s.Txn("take", func(tx *program.Tx) error {
					if left.Get(tx) == 1 {
						left.Set(tx, 0)
						sold.Update(tx, func(n int) (int, bool) { return n + 1, true })
					}
					return nil
				})
			})
		}
		p.Final("once", func(tx *program.Tx) error { return program.Assertf(sold.Get(tx) == 1, "sold %d", sold.Get(tx)) })
	})
	apart := 0
	opts := dpor.Options{Level: isolation.PgRC}
	for _, found := range violations(t, c, opts) {
		for i, name := range []string{"a", "b", "c"} {
			shown, parts := minimise.ApartExecuted(t.Context(), c, opts, found, []program.Part{{Session: name, Txn: -1}})
			if len(parts) == 0 {
				continue
			}
			if fmt.Sprint(parts) != "["+name+"]" || len(shown.Failures) == 0 || shown.Failures[0].Name != "once" {
				t.Fatalf("%v, %v", parts, shown.Failures)
			}
			apart++
			began := slices.IndexFunc(shown.Schedule, func(c model.Choice) bool { return int(c.N) == i })
			for _, c := range shown.Schedule[began:] {
				if int(c.N) != i && int(c.N) != len(shown.Ends)-1 {
					t.Fatalf("%s runs between others: %v", name, shown.Schedule)
				}
			}
		}
	}
	if apart < 3 {
		t.Errorf("%d executions without a session", apart)
	}
}
