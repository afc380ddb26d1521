package dpor_test

import (
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
)

// TestInterruptions: with a rising bound on interruptions there are ever more outcomes. Where
// nothing is left out they are all, and as many as without a bound.
func TestInterruptions(t *testing.T) {
	for _, level := range []isolation.Level{isolation.PgRC, isolation.PgRR, isolation.InnoRR} {
		_, all, err := exploreOn(t, t.Context(), contended(2, 2, 2), dpor.Options{Level: level, All: true})
		if err != nil {
			t.Fatal(err)
		}
		before, whole := int64(0), false
		for most := 0; !whole; most++ {
			o := dpor.Options{Level: level, All: true, Selection: dpor.Selection{Near: true, Deviations: most}}
			_, s, err := exploreOn(t, t.Context(), contended(2, 2, 2), o)
			if err != nil {
				t.Fatal(err)
			}
			if s.Histories < before || most == 1 && s.Histories == before {
				t.Errorf("%v: %d outcomes with at most %d interruptions, %d with less", level, s.Histories, most, before)
			}
			if before, whole = s.Histories, !s.LeftOut; most == 0 && whole {
				t.Errorf("%v: no interruptions leave nothing out", level)
			}
			if whole && s.Histories != all.Histories {
				t.Errorf("%v: %d outcomes with at most %d interruptions, which leaves nothing out, of %d", level, s.Histories, most, all.Histories)
			}
		}
	}
}
