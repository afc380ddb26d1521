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
func TestRandomPrograms(t *testing.T) { shards(t, *countFlag*3/4, rich, exploreCE) }

// The same for more transactions with fewer operations.
func TestRandomWidePrograms(t *testing.T) { shards(t, *countFlag/4, wide, exploreCE) }

// Every pair of a base and a level lists the same histories.
func TestRandomProgramsAllPairs(t *testing.T) { shards(t, *countFlag/8, rich, exploreCEStar) }

// The baseline finds the same histories, repeatedly.
func TestRandomProgramsDFS(t *testing.T) { shards(t, *countFlag/8, small, dfs) }
