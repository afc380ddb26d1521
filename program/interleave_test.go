package program_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// A drawn program: each session runs transactions whose operations depend on
// the sum of the values read so far, in this session.
type op struct{ kind, key, add int }

type drawn struct{ sessions [][][]op }

func drawProgram(t *rapid.T) drawn {
	operation := rapid.Custom(func(t *rapid.T) op {
		return op{rapid.IntRange(0, 5).Draw(t, "kind"), rapid.IntRange(0, 1).Draw(t, "key"), rapid.IntRange(0, 2).Draw(t, "add")}
	})
	txns := rapid.SliceOfN(rapid.SliceOfN(operation, 0, 3), 0, 2)
	return drawn{rapid.SliceOfN(txns, 1, 2).Draw(t, "sessions")}
}

func (d drawn) explore(p *program.Program) {
	vars := []*program.Var[int]{program.NewVar(p, "x", 0), program.NewVar(p, "y", 0)}
	for i, txns := range d.sessions {
		p.Session(fmt.Sprintf("s%d", i), func(s *program.Session) {
			sum := 0
			for j, ops := range txns {
				s.Txn(fmt.Sprintf("t%d", j), func(tx *program.Tx) error {
					for _, o := range ops {
						v := vars[(o.key+sum)%2]
						switch o.kind {
						case 0, 1, 2:
							sum += v.Get(tx)
						case 3:
							v.Set(tx, (sum+o.add)%3)
						case 4:
							s.Observe("sum", sum)
						case 5:
							if (sum+o.add)%3 == 2 {
								return fmt.Errorf("sum %d", sum)
							}
						}
					}
					return nil
				})
			}
		})
	}
}

// The tree does not depend on how it is grown: depth first with live
// coroutines, or in any order among paths and sessions, by replays.
func TestGrowthOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := drawProgram(rt)
		c := newClient(t, d.explore)
		defer c.Park()
		want := texts(t, c)
		equal(t, "walked again", texts(t, c), want)

		other := newClient(t, d.explore)
		defer other.Park()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		shuffled, err := grow(c, other, rng)
		if err != nil {
			rt.Fatal(err)
		}
		if !slices.Equal(shuffled, want) {
			rt.Errorf("grown in another order:\n%v\nwant\n%v", shuffled, want)
		}
	})
}

// grow records in other every path of c, step by step, in a random order.
func grow(c, other *program.Client, rng *rand.Rand) ([]string, error) {
	ends, err := paths(c)
	if err != nil {
		return nil, err
	}
	type walk struct {
		path []*behaviour.Node // in c
		at   *behaviour.Node   // in other
	}
	var open []*walk
	for _, n := range ends {
		open = append(open, &walk{path: n.Path()})
	}
	var list []string
	for len(open) > 0 {
		i := rng.IntN(len(open))
		w := open[i]
		switch {
		case w.at == nil:
			w.at, err = other.Root(int(w.path[0].Session))
		case len(w.path) == 1:
			list = append(list, fmt.Sprintf("%d %s", w.at.Session, text(other, w.at)))
			open = slices.Delete(open, i, i+1)
		case w.at.Kind == behaviour.Read:
			w.at, err = other.Child(w.at, translate(c, other, w.path[1].Value()))
			w.path = w.path[1:]
		default:
			w.at = w.at.Next()
			w.path = w.path[1:]
		}
		if err != nil {
			return nil, err
		}
		if rng.IntN(20) == 0 {
			other.Park()
		}
	}
	slices.Sort(list)
	return list, nil
}

// translate finds in other what v stands for in c.
func translate(c, other *program.Client, v behaviour.ValueID) behaviour.ValueID {
	return program.Intern(other, c.Value(v))
}

// Several goroutines that ask for the same children get the same nodes.
func TestConcurrentChildren(t *testing.T) {
	d := drawn{[][][]op{
		{{{0, 0, 0}, {0, 1, 0}, {3, 0, 1}}, {{0, 0, 0}, {3, 1, 2}, {0, 0, 0}}},
		{{{0, 1, 0}, {3, 0, 2}, {0, 1, 0}}, {{0, 0, 0}, {5, 0, 1}, {3, 0, 1}}},
	}}
	want := texts(t, newClient(t, d.explore))
	c := newClient(t, d.explore)
	results := make([][]*behaviour.Node, 8)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			ends, err := paths(c)
			if err != nil {
				t.Error(err)
			}
			results[i] = ends
		})
	}
	wg.Wait()
	byID := func(a, b *behaviour.Node) int { return int(a.ID - b.ID) }
	for i := range results {
		slices.SortFunc(results[i], byID)
		if !slices.Equal(results[i], results[0]) {
			t.Errorf("goroutine %d got other nodes than goroutine 0", i)
		}
	}
	equal(t, "paths", texts(t, c), want)
}

// IDs count the nodes from 0, each once.
func TestNodeIDs(t *testing.T) {
	c := newClient(t, transfer)
	for s := range c.Sessions() {
		if _, err := c.Root(s); err != nil {
			t.Fatal(err)
		}
	}
	c.Park() // records nothing
	ends, err := paths(c)
	if err != nil {
		t.Fatal(err)
	}
	byID := map[int64]*behaviour.Node{}
	for _, end := range ends {
		for _, n := range end.Path() {
			if byID[n.ID] != nil && byID[n.ID] != n {
				t.Fatalf("two nodes have ID %d", n.ID)
			}
			byID[n.ID] = n
		}
	}
	for i := range len(byID) {
		if byID[int64(i)] == nil {
			t.Errorf("no node has ID %d of %d", i, len(byID))
		}
	}
}
