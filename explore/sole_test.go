package explore_test

import (
	"testing"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// What a database keeps for a program is made once where there is one level, and once more for
// each further one.
func TestMadeOnce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		levels []isolation.Level
		want   int
	}{
		{[]isolation.Level{isolation.PgRC}, 1},
		{[]isolation.Level{isolation.SER}, 1},
		{[]isolation.Level{isolation.PgRC, isolation.PgSer}, 2},
	} {
		made := 0
		explored := func(p *program.Program) {
			p.Attachment("database", func() (any, error) { made++; return made, nil })
			busy(2)(p)
		}
		var got events
		o := explore.Options{Levels: test.levels, MaxOps: 5, Workers: 1, Unasserted: explore.UnassertedNothing}
		r := &explore.Run{Package: "p", Options: o, Scope: explore.Scope{All: true}, Sink: &got}
		r.Programs(t.Context(), []explore.Program{{Name: "ExploreBusy", Explore: explored}})
		if made != test.want || len(got) == 0 {
			t.Errorf("%v: %d times, not %d: %q", test.levels, made, test.want, got)
		}
	}
}
