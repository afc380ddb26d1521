package bench

import (
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/semantics"
)

// Both engines list the same histories of every client, the published ones too
// where they are, each once, with one worker and with several. The serial engine
// keeps what is promised of it: few calls and hardly any dead ends.
func TestEnginesAgree(t *testing.T) {
	t.Parallel()
	programs := loaded(t, Own())
	if dir := publishedDir(); dir != "" {
		programs = append(programs, loaded(t, os.DirFS(dir))...)
	}
	for n, p := range programs {
		t.Run(p.App.Name+"/"+p.Name, func(t *testing.T) {
			t.Parallel()
			for i, l := range []isolation.Level{isolation.PC, isolation.SI, isolation.SER} {
				if !deadlinetest.Full() && (i+n/3)%3 == 0 {
					continue // two of the levels for each client
				}
				c, err := program.NewClient(p.Name, p.Explore, program.Options{Recheck: sqltest.Recheck(t)})
				if err != nil {
					t.Fatal(err)
				}
				want, _ := hashes(t, c, optionsAt(l))
				workers := []int{1, 2, 3}
				if !deadlinetest.Full() { // one number of workers at each level
					workers = workers[(i+n)%3:][:1]
				}
				for _, workers := range workers {
					got, s := hashes(t, c, dpor.Options{Level: l, Engine: dpor.Serial, Workers: workers})
					if !maps.Equal(got, want) {
						t.Errorf("%v, %d workers: %d histories by serial, %d by swap", l, workers, len(got), len(want))
					}
					if s.EndStates != int64(len(got)) {
						t.Errorf("%v, %d workers: %d histories, %d of them different", l, workers, s.EndStates, len(got))
					}
					if l > isolation.PC {
						checkEconomy(t, p, s)
					}
				}
			}
		})
	}
}

func loaded(t *testing.T, clients fs.FS) []*client.Program {
	t.Helper()
	programs, err := Load(clients, Apps())
	if err != nil {
		t.Fatal(err)
	}
	return programs
}

// checkEconomy checks that calls and dead ends are few.
func checkEconomy(t *testing.T, p *client.Program, s dpor.Stats) {
	t.Helper()
	txns := 0
	for _, calls := range p.Sessions {
		txns += len(calls)
	}
	if most := 3 * int64(txns) * s.Histories; s.Explored > most {
		t.Errorf("%d calls for %d histories of %d transactions", s.Explored, s.Histories, txns)
	}
	if 10*s.Blocked > s.Explored {
		t.Errorf("%d dead ends in %d calls", s.Blocked, s.Explored)
	}
}

// hashes returns the hashes of the canonical forms of all histories.
func hashes(t *testing.T, c *program.Client, opts dpor.Options) (map[uint64]bool, dpor.Stats) {
	t.Helper()
	opts.All, opts.List = true, true
	x := dpor.Explore(context.Background(), c, opts)
	found := map[uint64]bool{}
	for f, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		h.Write(semantics.AppendCanonical(nil, f.History))
		found[h.Sum64()] = true
	}
	if s := x.Stats(); s.Complete {
		return found, s
	}
	t.Fatal("not complete")
	return nil, dpor.Stats{}
}

// The programs of single accesses have the counts that others give.
func TestAccesses(t *testing.T) {
	t.Parallel()
	counts := map[string]int64{"fai 4 2": 2520, "wr 4 2 2": 20860, "rw 3 3 2": 4696}
	for _, p := range accesses() {
		want, small := counts[p.Name]
		if !small {
			continue
		}
		r, err := one(t.Context(), p, serialAlgorithm(t, "serial(SER)"), 60e9)
		if err != nil || r.Histories != want {
			t.Errorf("%s: %d histories, want %d (%v)", p.Name, r.Histories, want, err)
		}
	}
}

func serialAlgorithm(t *testing.T, name string) Algorithm {
	list := engineAlgorithms()
	i := slices.IndexFunc(list, func(a Algorithm) bool { return strings.EqualFold(a.Name, name) })
	if i < 0 {
		t.Fatal(fmt.Sprint("no algorithm ", name))
	}
	return list[i]
}

// optionsAt explores a level over the strongest base.
func optionsAt(level isolation.Level) dpor.Options {
	return dpor.Options{Level: level, Base: level.Base(), All: true}
}
