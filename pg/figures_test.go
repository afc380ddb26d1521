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
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/dpor"
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
	once(t, c, isolation.CC, 8) // the schema, and the first statements
	began, before := time.Now(), spent(syscall.RUSAGE_SELF)
	stats := once(t, c, isolation.CC, *manyBehaviours)
	took := spent(syscall.RUSAGE_SELF) - before
	fmt.Printf("%d histories, each a new behaviour: %d runs of the session, %.1f s of processor time, %.1f s by the clock, %.0f MB resident\n",
		stats.Histories, runs, took.Seconds(), time.Since(began).Seconds(), float64(resident())/1e6)
	if stats.Histories != *manyBehaviours || int64(runs) < stats.Histories {
		t.Errorf("%d histories and %d runs, not %d of each at least", stats.Histories, runs, *manyBehaviours)
	}
}

// repeats is how often each figure is measured.
const repeats = 7

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

// show measures something several times and prints a line of the table.
func show(what, unit string, measure func() float64) {
	list := make([]float64, repeats)
	for i := range list {
		list[i] = measure()
	}
	slices.Sort(list)
	fmt.Printf("| %s | %.3g %s | %.3g to %.3g |\n", what, list[repeats/2], unit, list[0], list[repeats-1])
}

// spent is the processor time of this process, or of its children that have ended.
func spent(who int) time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(who, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// once explores a program and calls all behaviours of its sessions once.
func once(t *testing.T, c *program.Client, level isolation.Level, most int64) dpor.Stats {
	t.Helper()
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: level, Base: level.Base(), All: true, Workers: 1, MaxHistories: most})
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	return x.Stats()
}

// statements shows what a statement of a session costs, of the first ones on a row.
func statements(t *testing.T) {
	const runs = 20
	for _, sql := range []string{"SELECT 1", "SELECT bal FROM acct WHERE id = 1", "UPDATE acct SET bal = bal + 1 WHERE id = 1", "SELECT * FROM nothing"} {
		var all time.Duration
		c := sqltest.NewClient(t, func(p *program.Program) {
			db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
			p.Session("s", func(s *program.Session) { all += perStatement(t, db.Config(s), sql) })
		}, program.Options{Recheck: -1})
		measure := func() float64 {
			all = 0
			for range runs {
				if err := c.Renew(); err != nil {
					t.Fatal(err)
				}
				once(t, c, isolation.CC, 0)
			}
			return float64(all.Nanoseconds()) / 1000 / runs
		}
		measure()
		show("processor time of `"+sql+"`", "µs", measure)
	}
}

func perStatement(t *testing.T, c *pgx.ConnConfig, sql string) time.Duration {
	const warm, measured = 3, 12
	ctx := context.Background()
	conn, err := pgx.ConnectConfig(ctx, c)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer conn.Close(ctx)
	var before time.Duration
	for i := range warm + measured {
		if i == warm {
			before = spent(syscall.RUSAGE_SELF)
		}
		_, _ = conn.Exec(ctx, sql) // some fail
	}
	return (spent(syscall.RUSAGE_SELF) - before) / measured
}

// starts shows what comes before the first statement.
func starts(t *testing.T) {
	show("start with all in the cache", "ms of processor time", func() float64 {
		before := spent(syscall.RUSAGE_SELF)
		e, err := engine.Open(t.Context(), engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.Instance()
		if err != nil {
			t.Fatal(err)
		}
		took := spent(syscall.RUSAGE_SELF) - before
		x.Close()
		e.Close()
		return float64(took.Microseconds()) / 1000
	})
	before := spent(syscall.RUSAGE_SELF)
	e, err := engine.Open(t.Context(), engine.Options{CacheDir: withPackage(t)})
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
	fmt.Printf("| start that compiles and makes the data directory | %.3g s of processor time | once |\n", (spent(syscall.RUSAGE_SELF) - before).Seconds())
	commands(t)
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

// commands shows how long a command takes, from its start to its end.
func commands(t *testing.T) {
	txmc := filepath.Join(t.TempDir(), "txmc")
	if out, err := exec.Command("go", "build", "-o", txmc, "../cmd/txmc").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := func() {
		cmd := exec.Command(txmc, "explore", "./testdata/sqlcoupon", "--iso=ser", "--quiet")
		cmd.Dir = ".."
		_ = cmd.Run() // it fails where there are violations
	}
	run()
	show("`txmc explore ./testdata/sqlcoupon --iso=ser`, again", "s of processor time", func() float64 {
		before := spent(syscall.RUSAGE_CHILDREN)
		run()
		return (spent(syscall.RUSAGE_CHILDREN) - before).Seconds()
	})
	show("the same by the clock", "s", func() float64 {
		before := time.Now()
		run()
		return time.Since(before).Seconds()
	})
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
	show("memory of a pool for each instance, after a statement", "MB", func() float64 {
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
	show("going back to a snapshot after a statement", "ms of processor time", func() float64 {
		const n = 100
		var took time.Duration
		for range n {
			_, _ = y.Exchange(simple("CREATE TABLE a AS SELECT generate_series(1, 20)"))
			before := spent(syscall.RUSAGE_SELF)
			if err := y.Reset(s); err != nil {
				t.Fatal(err)
			}
			took += spent(syscall.RUSAGE_SELF) - before
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
	show("new behaviours of eight transactions", "in a second of processor time", func() float64 {
		runs := 0
		c := sqltest.NewClient(t, behaviours(&runs, 8), program.Options{})
		once(t, c, isolation.CC, 8) // the schema, and the first statements
		before := spent(syscall.RUSAGE_SELF)
		once(t, c, isolation.CC, most)
		return most / (spent(syscall.RUSAGE_SELF) - before).Seconds()
	})
	runs := 0
	c := sqltest.NewClient(t, behaviours(&runs, 8), program.Options{})
	again(t, "eight transactions beside ten", c, most)
	for name, f := range map[string]func(*program.Program){"sqlcoupon.ExploreRedeem": sqlcoupon.ExploreRedeem, "sqlorder.ExploreOrder": sqlorder.ExploreOrder,
		"sqlqueue.ExploreTake": sqlqueue.ExploreTake, "sqltransfers.ExploreTransfer": sqltransfers.ExploreTransfer} {
		again(t, name, sqltest.NewClient(t, f, program.Options{}), 0)
	}
}

// again shows the rate of explorations of what is recorded.
func again(t *testing.T, name string, c *program.Client, most int64) {
	first := once(t, c, isolation.CC, most)
	show(fmt.Sprintf("%s, %d histories at cc, once recorded", name, first.Histories), "histories in a second of processor time", func() float64 {
		var n int64
		before := spent(syscall.RUSAGE_SELF)
		for n < 2000 {
			n += once(t, c, isolation.CC, most).EndStates
		}
		return float64(n) / (spent(syscall.RUSAGE_SELF) - before).Seconds()
	})
}
