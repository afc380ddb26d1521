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
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

var (
	statementsFlag = deadlinetest.Flag("statements", 2400, 600, "statements that must not take more memory")
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
// memory as they go on. This holds for the heap of Go and for the memory of backends.
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
	conns := four(t, dsn)
	r := rand.New(rand.NewPCG(1, 2))
	const rounds = 10
	var heap, all, contents [rounds]int64
	for round := range rounds {
		rate := churn(t, conns, r, 1_000_000+round*statementsFlag.N(), statementsFlag.N()/rounds)
		heap[round], all[round] = heapInUse(), resident()
		s.mu.Lock()
		for c := range s.conns {
			contents[round] += int64(c.backend.Contents())
		}
		s.mu.Unlock()
		t.Logf("after %d statements: heap %.1f MB, resident %.1f MB, %d contents, %d known, %.0f statements/s since", (round+1)*statementsFlag.N()/rounds,
			float64(heap[round])/1e6, float64(all[round])/1e6, contents[round], known(s), rate)
	}
	const more = 4 << 20 // of what is collected late
	if heap[rounds-1] > heap[0]*5/4+more {
		t.Errorf("the heap grows from %d to %d bytes", heap[0], heap[rounds-1])
	}
}

func four(t *testing.T, dsn string) (conns []*pgx.Conn) {
	for range 4 {
		conns = append(conns, dial(t, dsn))
	}
	return conns
}

// churn sends statements, with numbers from first, and returns how many a second are answered.
func churn(t *testing.T, conns []*pgx.Conn, r *rand.Rand, first, statements int) float64 {
	start := time.Now()
	for n := range statements / 3 {
		c := conns[r.IntN(len(conns))]
		last := first + n
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
	return float64(statements) / time.Since(start).Seconds()
}

// TestRateBeside sends the statements to a PostgreSQL: what is said of the mock server's rate
// is said beside it.
func TestRateBeside(t *testing.T) {
	dsn := scratchtest.Start(t, scratch.Postgres, nil).DSN("postgres")
	conns := four(t, dsn)
	if _, err := conns[0].Exec(t.Context(), accounts, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	t.Logf("PostgreSQL answers %.0f statements/s", churn(t, conns, rand.New(rand.NewPCG(1, 2)), 1_000_000, statementsFlag.N()))
}

// known is how many keys, or contents, the server remembers.
func known(s *Server) int {
	if m, ok := s.store.(*modelled); ok {
		n, _ := m.image.Catalog().Size()
		return n
	}
	return len(s.KV().items.numbers)
}
