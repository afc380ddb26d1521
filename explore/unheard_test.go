package explore_test

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// A level that a transaction asks for does not count at an axiomatic level, which a note says.
func TestUnheard(t *testing.T) {
	t.Parallel()
	for level, want := range map[isolation.Level]string{
		isolation.SI:   `transaction "t" asks for innodb-ser, but at si all transactions have that level: one of its own counts at a level of a database, such as innodb-rr`,
		isolation.PgRC: "",
	} {
		asks := isolation.InnoSer
		if want == "" {
			asks = isolation.PgSer
		}
		o := explore.Defaults()
		o.Levels, o.MaxOps, o.Dir, o.Unasserted = []isolation.Level{level}, 10, t.TempDir(), explore.UnassertedNothing
		var said notes
		r := &explore.Run{Options: o, Sink: &said}
		r.Programs(t.Context(), []explore.Program{{Name: "Asks", Explore: func(p *program.Program) {
			x := program.NewVar(p, "x", 0)
			p.Session("s", func(s *program.Session) {
				for _, name := range []string{"u", "t"} {
					s.Txn(name, func(tx *program.Tx) error { x.Set(tx, 1); return nil }, program.At(asks))
				}
				s.Txn("a", func(tx *program.Tx) error { x.Set(tx, 2); return nil })
			})
		}}})
		if got := strings.TrimSuffix(strings.Join(said, "; "), "it asserts nothing"); len(said) != 1 || got != want {
			t.Errorf("%v: %q, want %q", level, got, want)
		}
	}
}
