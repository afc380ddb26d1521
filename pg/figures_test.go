//go:build unix

// The figures of bench/README.md on programs in SQL. They are processor times of this
// process, so that other work on the machine counts little.

package pg_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/testdata/sqlcoupon"
	"github.com/txmc/txmc/testdata/sqlorder"
	"github.com/txmc/txmc/testdata/sqlqueue"
	"github.com/txmc/txmc/testdata/sqltransfers"
)

var figures = flag.Bool("figures", false, "print the figures of bench/README.md on programs in SQL")

var manyBehaviours = flag.Int64("behaviours", 0, "explore so many behaviours of a session in SQL, and print what that takes")

// TestManyBehaviours explores a session of twelve reads, each of which returns one of eleven values.
func TestManyBehaviours(t *testing.T) {
	if *manyBehaviours == 0 {
		t.Skip("-behaviours asks for it")
	}
	runs := 0
	c := sqltest.NewClient(t, behaviours(&runs, 12), program.Options{})
	sqltest.Once(t, c, isolation.CC, 8) // the schema, and the first statements
	began, before := time.Now(), sqltest.Spent(syscall.RUSAGE_SELF)
	stats := sqltest.Once(t, c, isolation.CC, *manyBehaviours)
	took := sqltest.Spent(syscall.RUSAGE_SELF) - before
	fmt.Printf("%d histories, each a new behaviour: %d runs of the session, %.1f s of processor time, %.1f s by the clock, %.0f MB resident\n",
		stats.Histories, runs, took.Seconds(), time.Since(began).Seconds(), float64(resident())/1e6)
	if stats.Histories != *manyBehaviours || int64(runs) < stats.Histories {
		t.Errorf("%d histories and %d runs, not %d of each at least", stats.Histories, runs, *manyBehaviours)
	}
}

func TestFigures(t *testing.T) {
	if !*figures {
		t.Skip("-figures prints them")
	}
	fmt.Println("| what | median | least to most |\n|---|--:|--:|")
	t.Run("statements", statements)
	t.Run("starts", starts)
	t.Run("memory", memory)
	t.Run("rates", rates)
}

// statements shows what a statement of a session costs, of the first ones on a row.
func statements(t *testing.T) {
	for _, sql := range []string{"SELECT 1", "SELECT bal FROM acct WHERE id = 1", "UPDATE acct SET bal = bal + 1 WHERE id = 1", "SELECT * FROM nothing"} {
		var all time.Duration
		c := sqltest.NewClient(t, func(p *program.Program) {
			db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
			p.Session("s", func(s *program.Session) { all += perStatement(t, db.Config(s), sql) })
		}, program.Options{Recheck: -1})
		sqltest.FigureStatement(t, c, sql, &all)
	}
}

func perStatement(t *testing.T, c *pgx.ConnConfig, sql string) time.Duration {
	ctx := context.Background()
	conn, err := pgx.ConnectConfig(ctx, c)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer conn.Close(ctx)
	return sqltest.Each(func() { _, _ = conn.Exec(ctx, sql) }) // some fail
}

// starts shows what comes before the first statement.
func starts(t *testing.T) {
	sqltest.Figure("start with all in the cache", "ms of processor time", func() float64 {
		before := sqltest.Spent(syscall.RUSAGE_SELF)
		e, err := engine.Open(t.Context(), engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.Instance()
		if err != nil {
			t.Fatal(err)
		}
		took := sqltest.Spent(syscall.RUSAGE_SELF) - before
		x.Close()
		e.Close()
		return float64(took.Microseconds()) / 1000
	})
	before := sqltest.Spent(syscall.RUSAGE_SELF)
	e, err := engine.Open(t.Context(), engine.Options{CacheDir: withPackage(t)})
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
	fmt.Printf("| start that compiles and makes the data directory | %.3g s of processor time | once |\n", (sqltest.Spent(syscall.RUSAGE_SELF) - before).Seconds())
	sqltest.FigureCommand(t, "..", "..", "./testdata/sqlcoupon")
}

// withPackage is a cache that has the package and nothing made of it.
func withPackage(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	list, err := filepath.Glob(filepath.Join(cache, "txmc", "pglite-*"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range list {
		if strings.HasSuffix(name, "-data") {
			continue
		}
		if err := os.Symlink(name, filepath.Join(dir, filepath.Base(name))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// memory shows what instances take.
func memory(t *testing.T) {
	e, err := engine.Open(t.Context(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	x, err := e.Instance()
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fmt.Printf("| memory of a snapshot | %.3g MB | |\n", float64(s.Bytes())/1e6)
	sqltest.Figure("memory of a pool for each instance, after a statement", "MB", func() float64 {
		const n = 8
		before, pool := resident(), engine.NewPool(s)
		var list []*engine.Instance
		for range n {
			y, err := pool.Get()
			if err != nil {
				t.Fatal(err)
			}
			_, _ = y.Exchange(simple("SELECT 1"))
			list = append(list, y)
		}
		each := float64(resident()-before) / n / 1e6
		for _, y := range list {
			_ = pool.Put(y)
		}
		_ = pool.Close()
		return each
	})
	y, err := e.InstanceFrom(s)
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	sqltest.Figure("going back to a snapshot after a statement", "ms of processor time", func() float64 {
		const n = 100
		var took time.Duration
		for range n {
			_, _ = y.Exchange(simple("CREATE TABLE a AS SELECT generate_series(1, 20)"))
			before := sqltest.Spent(syscall.RUSAGE_SELF)
			if err := y.Reset(s); err != nil {
				t.Fatal(err)
			}
			took += sqltest.Spent(syscall.RUSAGE_SELF) - before
		}
		return float64(took.Microseconds()) / 1000 / n
	})
}

// simple is the message of a simple query.
func simple(sql string) []byte {
	return append(append(binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(sql)+5)), sql...), 0)
}

// resident is the memory of this process in bytes, where the system tells.
func resident() int64 {
	runtime.GC()
	b, err := os.ReadFile("/proc/self/statm")
	var size, n int64
	if _, scan := fmt.Sscan(string(b), &size, &n); err != nil || scan != nil {
		return 0
	}
	return n * int64(os.Getpagesize())
}

// rates shows how fast explorations are.
func rates(t *testing.T) {
	const most = 1500
	sqltest.Figure("new behaviours of eight transactions", "in a second of processor time", func() float64 {
		runs := 0
		c := sqltest.NewClient(t, behaviours(&runs, 8), program.Options{})
		sqltest.Once(t, c, isolation.CC, 8) // the schema, and the first statements
		before := sqltest.Spent(syscall.RUSAGE_SELF)
		sqltest.Once(t, c, isolation.CC, most)
		return most / (sqltest.Spent(syscall.RUSAGE_SELF) - before).Seconds()
	})
	runs := 0
	c := sqltest.NewClient(t, behaviours(&runs, 8), program.Options{})
	sqltest.FigureAgain(t, "eight transactions beside ten", c, most)
	for name, f := range map[string]func(*program.Program){"sqlcoupon.ExploreRedeem": sqlcoupon.ExploreRedeem, "sqlorder.ExploreOrder": sqlorder.ExploreOrder,
		"sqlqueue.ExploreTake": sqlqueue.ExploreTake, "sqltransfers.ExploreTransfer": sqltransfers.ExploreTransfer} {
		sqltest.FigureAgain(t, name, sqltest.NewClient(t, f, program.Options{}), 0)
	}
}
