package mock

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/isolation"
)

var (
	statementsFlag = flag.Int("statements", 2400, "statements that must not take more memory")
	levelsFlag     = flag.String("memory", "cc,pg-rc", "levels at which memory is measured, with commas")
)

// resident is the memory of the process, in bytes; 0 where that is not known.
func resident() int64 {
	b, _ := os.ReadFile("/proc/self/statm")
	f := strings.Fields(string(b))
	if len(f) < 2 {
		return 0
	}
	n, _ := strconv.ParseInt(f[1], 10, 64)
	return n * int64(os.Getpagesize())
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Statements that update, insert and delete rows of a table that stays small take no more
// memory as they go on: neither the heap of Go's, nor what backends keep.
func TestFlatMemory(t *testing.T) {
	for name := range strings.SplitSeq(*levelsFlag, ",") {
		level, err := isolation.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Level: level, Seed: 1}
		if o.exact() {
			o.Delay = 1
		}
		t.Run(name, func(t *testing.T) { flatMemory(t, o) })
	}
}

func flatMemory(t *testing.T, o Options) {
	s, dsn := admitted(t, o, Admission{})
	var conns []*pgx.Conn
	for range 4 {
		conns = append(conns, dial(t, dsn))
	}
	r := rand.New(rand.NewPCG(1, 2))
	const rounds = 10
	var heap, all, contents [rounds]int64
	for round := range rounds {
		start := time.Now()
		for n := range *statementsFlag / rounds / 3 {
			c := conns[r.IntN(len(conns))]
			last := 1_000_000 + round**statementsFlag + n
			for _, sql := range []string{
				fmt.Sprintf(`UPDATE account SET balance = %d WHERE id = %d`, last, 1+r.IntN(2)),
				fmt.Sprintf(`INSERT INTO log (n, account, amount) VALUES (%d, %d, 5)`, last, 1+r.IntN(2)),
				fmt.Sprintf(`DELETE FROM log WHERE n < %d`, last-20),
			} {
				if _, err := c.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil && code(err) != "40001" {
					t.Fatal(err)
				}
			}
		}
		rate := float64(*statementsFlag/rounds) / time.Since(start).Seconds()
		heap[round], all[round] = heapInUse(), resident()
		s.mu.Lock()
		for c := range s.conns {
			contents[round] += int64(c.backend.Contents())
		}
		s.mu.Unlock()
		t.Logf("after %d statements: heap %.1f MB, resident %.1f MB, %d contents, %d known, %.0f statements/s since", (round+1)**statementsFlag/rounds,
			float64(heap[round])/1e6, float64(all[round])/1e6, contents[round], known(s), rate)
	}
	const more = 4 << 20 // of what is collected late
	if heap[rounds-1] > heap[0]*5/4+more {
		t.Errorf("the heap grows from %d to %d bytes", heap[0], heap[rounds-1])
	}
}

// known is how many keys, or contents, the server remembers.
func known(s *Server) int {
	if m, ok := s.store.(*modelled); ok {
		n, _ := m.image.Catalog().Size()
		return n
	}
	return len(s.KV().items.numbers)
}
