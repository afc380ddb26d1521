package dpor_test

import (
	"fmt"
	"runtime"
	"testing"
)

// shards runs check on n random programs of the shape, in as many parallel
// subtests as there are processors.
func shards(t *testing.T, n int, s shape, check func(*prog) error) {
	t.Parallel()
	k := max(1, runtime.GOMAXPROCS(0))
	for i := range k {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			checkPrograms(t, randomPrograms(t.Name(), (n+k-1)/k, s), check)
		})
	}
}

// The engine lists exactly the histories of the reference.
func TestRandomPrograms(t *testing.T) { shards(t, countFlag.N()*3/4, rich, exploreCE) }

// The same for more transactions with fewer operations.
func TestRandomWidePrograms(t *testing.T) { shards(t, countFlag.N()/4, wide, exploreCE) }

// Every pair of a base and a level lists the same histories.
func TestRandomProgramsAllPairs(t *testing.T) { shards(t, countFlag.N()/8, rich, exploreCEStar) }

// The baseline finds the same histories, repeatedly.
func TestRandomProgramsDFS(t *testing.T) { shards(t, countFlag.N()/8, small, dfs) }

// Programs on which slight mistakes in the engine show that random programs find
// only now and then: each lost or repeated a history in a wrong version of it.
var telling = []string{
	// readLatest: a later writer counts only in the causal past.
	"w z ; w z | w z ; r z ; r z | w z",
	"w x ; w x | w x 1 ; r x ; r x r x | w x 1",
	// The commit order is transitive over session order.
	"w z w y ; r z | w z 2 ; w y ; r y",
	"w x w y | r y r x | w x ; w x w y | r y r x",
	// A swap leaves nothing behind of the writers and forced edges it deletes.
	"w x | r x r x",
	"w y ; r x | w y ; r y w x",
	// Commit orders of PC, SI and SER that cannot be extended at the end.
	"r x r y | w y | r y w x",
	"w x | r x w x 2 | r x",
	"w x ; r x | r x w x",
	"w x | r x w x | final r x",
}

// The engine lists exactly the histories of the reference on those too.
func TestTellingPrograms(t *testing.T) {
	t.Parallel()
	for _, text := range telling {
		p := parse(text)
		if err := exploreCEStar(p); err != nil {
			t.Errorf("%v: %v", p, err)
		}
		if err := permuted(p); err != nil {
			t.Errorf("%v with its sessions permuted: %v", p, err)
		}
	}
}
