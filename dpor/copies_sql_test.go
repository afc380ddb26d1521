package dpor_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// TestSymmetryOfScripts: random scripts of SQL that several sessions run, or are said to.
func TestSymmetryOfScripts(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	for name, at := range askedLevels(1) {
		t.Run(at.String()+map[bool]string{name == "": " mixed"}[true], func(t *testing.T) {
			symmetric, apart, resumed, divided, states, before := 0, 0, 0, 0, int64(0), int64(0)
			for i := range deadlinetest.Until(t, deadlinetest.Of(4, 1)**scriptsFlag, func() bool { return states < before }) {
				n := i + len(name) + int(seed()%6) // of few scripts some have two sessions, and others three
				k := seed()*1_000_000 + uint64(n)
				s, sets := sameScripts(rand.New(rand.NewPCG(k, 19)), sqltest.RandomScript(k, 2+n%2, name == ""))
				c := scriptClient(t, s, name, at)
				with, without, err := sqltest.Symmetric(c, dpor.Options{Level: at, Workers: 1 + n%3}, sets)
				if err != nil {
					t.Fatalf("script %d: %v\nof\n%s\n%q: %+v", k, err, s.Schema, s.Sessions, with.Symmetry)
				}
				client := func() (*program.Client, error) { return scriptClient(t, s, name, at), nil }
				if n%2 == 0 && with.Histories < 200 {
					g := &sqltest.InRegions{R: rand.New(rand.NewPCG(k, 22)), Sets: sets, Client: client, Opts: dpor.Options{Level: at}}
					if _, _, err := g.Explore(); err != nil {
						t.Fatalf("script %d in %d parts: %v\nof\n%s\n%q", k, g.Parts, err, s.Schema, s.Sessions)
					}
					divided += g.Divided
				}
				if (n+len(name))%2 == 0 && with.Histories < 200 {
					_, _, pieces, err := sqltest.SymmetricInPieces(client, dpor.Options{Level: at}, sets, rand.New(rand.NewPCG(k, 21)))
					if err != nil {
						t.Fatalf("script %d in %d pieces: %v\nof\n%s\n%q", k, pieces, err, s.Schema, s.Sessions)
					}
					resumed += pieces - 1
				}
				if len(with.Symmetry.Off) > 0 {
					apart++
				} else {
					inPlaces(t, scriptClient(t, s, name, at), at, true, len(s.Sessions), rand.New(rand.NewPCG(k, 20)), fmt.Sprintf("%s\n%q", s.Schema, s.Sessions))
				}
				if len(with.Symmetry.Sets) > 0 {
					symmetric++
					states, before = states+with.Explored, before+without.Explored
				}
			}
			t.Logf("%d scripts with symmetry: %d states, %d without; %d times sessions differ; resumed %d times, %d regions divided", symmetric, states, before, apart, resumed, divided)
		})
	}
}

// sameScripts lets all sessions run the script of the first one. In one of four the last one
// has another text somewhere.
func sameScripts(r *rand.Rand, s *sqltest.Script) (*sqltest.Script, [][]int) {
	set := make([]int, len(s.Sessions))
	for i := range s.Sessions {
		set[i] = i
		s.Sessions[i] = s.Sessions[0]
	}
	if r.IntN(4) == 0 {
		texts := slices.Clone(s.Sessions[0])
		texts[r.IntN(len(texts))] = "SELECT 1, 2"
		s.Sessions[len(set)-1] = texts
	}
	return s, [][]int{set}
}
