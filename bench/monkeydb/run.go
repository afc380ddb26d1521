package monkeydb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/server/mock"
	"github.com/txmc/txmc/server/scratch"
)

// Options say what to run.
type Options struct {
	// Seeds is how many seeds each row is the mean of.
	Seeds int
	// Real is how many iterations of each benchmark a real PostgreSQL gets; 0: none.
	Real int
	// Progress is told of each benchmark that has ended.
	Progress io.Writer
}

// Row is an assertion at a level.
type Row struct {
	Benchmark string          `json:"benchmark"`
	Assertion string          `json:"assertion"`
	Level     isolation.Level `json:"-"`
	Iso       string          `json:"iso"`
	Sessions  int             `json:"sessions"`
	// Seeds of which Broke broke the assertion within the limit of iterations.
	Seeds int `json:"seeds"`
	Broke int `json:"broke"`
	// Iterations that it took in the mean; 0 when it never broke.
	Iterations float64 `json:"iterations,omitempty"`
	// Published is the figure of the paper or of its artifact; 0 when there is none.
	Published float64 `json:"published,omitempty"`
	// Real is how many iterations of a real PostgreSQL were run, and RealBroke how many
	// of them broke the assertion.
	Real      int `json:"real,omitempty"`
	RealBroke int `json:"real_broke"`
}

// patience is how many iterations of a micro-benchmark a seed gets.
const patience = 1000

// Levels are the levels of the experiments.
func Levels() []isolation.Level { return []isolation.Level{isolation.CC, isolation.RC} }

// Run runs all benchmarks. When ctx ends it returns what there is, and why.
func Run(ctx context.Context, o Options) (rows []Row, err error) {
	var real *server
	if o.Real > 0 {
		if real, err = open(ctx); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, real.close()) }()
	}
	for _, b := range micros() {
		more, err := b.rows(ctx, o, real)
		if err != nil {
			return rows, err
		}
		rows = append(rows, more...)
		fmt.Fprintln(o.Progress, b.name)
	}
	for _, b := range oltps() {
		for _, sessions := range []int{2, 3} {
			more, err := b.table(ctx, o, real, sessions)
			if err != nil {
				return rows, err
			}
			rows = append(rows, more...)
			fmt.Fprintf(o.Progress, "%s, %d terminals\n", b.name, sessions)
		}
	}
	return rows, nil
}

func oltps() []*oltp { return []*oltp{tpcc(), smallbank(), voter(), wikipedia()} }

// microFresh is the part of the reads of micro-benchmarks that are answered rather by what was
// served least. Few would miss tweets, and many pop elements twice, less often than in the paper.
const microFresh = 0.4

func options(level isolation.Level, r *rand.Rand) mock.Options {
	const everything = 1 << 20 // nothing is forgotten
	return mock.Options{Level: level, Seed: r.Uint64(), Window: everything, NoLocks: true, Weak: mock.WeakAlways}
}

// rows are those of a micro-benchmark: for each seed, iterations until all assertions
// have broken.
func (b microBenchmark) rows(ctx context.Context, o Options, real *server) (rows []Row, err error) {
	var broke []int
	if real != nil {
		if broke, err = real.micro(ctx, b, o.Real); err != nil {
			return nil, err
		}
	}
	for _, level := range Levels() {
		sums, times := make([]int, len(b.assertions)), make([]int, len(b.assertions))
		for seed := range o.Seeds {
			if err := ctx.Err(); err != nil {
				return rows, err
			}
			took, err := b.until(level, rand.New(rand.NewPCG(uint64(seed), 17)))
			if err != nil {
				return rows, err
			}
			for i, n := range took {
				if n > 0 {
					sums[i] += n
					times[i]++
				}
			}
		}
		for i, name := range b.assertions {
			row := Row{Benchmark: b.name, Assertion: name, Sessions: b.sessions, Seeds: o.Seeds, Broke: times[i]}
			if times[i] > 0 {
				row.Iterations = float64(sums[i]) / float64(times[i])
			}
			rows = append(rows, row.at(level, real != nil, o.Real, broke, i))
		}
	}
	return rows, nil
}

// at fills in what rows have in common.
func (r Row) at(level isolation.Level, measured bool, iterations int, broke []int, i int) Row {
	r.Level, r.Iso = level, level.String()
	r.Published, _ = published(r.Assertion, level, r.Sessions)
	if measured {
		r.Real, r.RealBroke = iterations, broke[i]
	}
	return r
}

// until runs iterations until every assertion has broken, and tells in which one each
// did; 0: in none.
func (b microBenchmark) until(level isolation.Level, r *rand.Rand) ([]int, error) {
	took, left := make([]int, len(b.assertions)), len(b.assertions)
	for n := 1; n <= patience && left > 0; n++ {
		o := options(level, r)
		o.Fresh = microFresh
		w, err := newWeak(o, b.initial())
		if err != nil {
			return nil, err
		}
		m := &micro{store: w, rand: r}
		broken := b.run(m)
		if m.err != nil {
			return nil, fmt.Errorf("%s: %w", b.name, m.err)
		}
		for i, is := range broken {
			if is && took[i] == 0 {
				took[i] = n
				left--
			}
		}
	}
	return took, nil
}

// table has the rows of a benchmark of OLTP-Bench. Each seed is an iteration: what breaks
// in the share p of them takes 1/p iterations in the mean, as the databases are fresh.
func (b *oltp) table(ctx context.Context, o Options, real *server, sessions int) (rows []Row, err error) {
	var broke []int
	if real != nil {
		if broke, err = real.oltp(ctx, b, o.Real, sessions); err != nil {
			return nil, err
		}
	}
	for _, level := range Levels() {
		times := make([]int, len(b.checks))
		for seed := range o.Seeds {
			broken, err := b.served(ctx, level, sessions, rand.New(rand.NewPCG(uint64(seed), 18)))
			if err != nil {
				return rows, err
			}
			count(times, broken)
		}
		for i, check := range b.checks {
			row := Row{Benchmark: b.name, Assertion: check.name, Sessions: sessions, Seeds: o.Seeds, Broke: times[i]}
			if times[i] > 0 {
				row.Iterations = float64(o.Seeds) / float64(times[i])
			}
			rows = append(rows, row.at(level, real != nil, o.Real, broke, i))
		}
	}
	return rows, nil
}

func count(times []int, broken []bool) {
	for i, is := range broken {
		if is {
			times[i]++
		}
	}
}

// served is an iteration on a mock server.
func (b *oltp) served(ctx context.Context, level isolation.Level, sessions int, r *rand.Rand) (broken []bool, err error) {
	o := options(level, r)
	o.BySession, o.DropAborted = b.asArtifact, b.asArtifact
	if b.fresh != nil {
		o.Fresh = b.fresh(level)
	}
	s, err := mock.NewServer(o, pg.Schema(b.tables), pg.Seed(b.rows))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var conns []*pgx.Conn
	for range sessions + 1 {
		c, err := pgx.ConnectConfig(ctx, s.Config())
		if err != nil {
			return nil, err
		}
		defer c.Close(context.WithoutCancel(ctx))
		conns = append(conns, c)
	}
	return b.run(ctx, r, conns, level)
}

// server is a real PostgreSQL, at READ COMMITTED.
type server struct {
	scratch *scratch.Server
	conns   []*pgx.Conn
}

func open(ctx context.Context) (*server, error) {
	s, err := scratch.Start(ctx, scratch.Postgres, nil)
	if err != nil {
		return nil, fmt.Errorf("a real server to compare with: %w; --real=0 does without", err)
	}
	real := &server{scratch: s}
	for range 4 { // three terminals, and who asks for the assertions
		c, err := pgx.Connect(ctx, s.DSN("postgres"))
		if err != nil {
			return nil, errors.Join(err, real.close())
		}
		real.conns = append(real.conns, c)
	}
	return real, nil
}

func (s *server) close() error {
	for _, c := range s.conns {
		_ = c.Close(context.Background()) // the server goes away
	}
	return s.scratch.Close()
}

// fresh makes the public schema what the SQL makes it.
func (s *server) fresh(ctx context.Context, sql string) error {
	_, err := s.conns[0].Exec(ctx, `DROP SCHEMA public CASCADE; CREATE SCHEMA public; `+sql)
	return err
}

// micro counts the iterations of a micro-benchmark that break each assertion.
func (s *server) micro(ctx context.Context, b microBenchmark, iterations int) (broke []int, err error) {
	if err := s.fresh(ctx, keptSchema); err != nil {
		return nil, err
	}
	broke = make([]int, len(b.assertions))
	r := rand.New(rand.NewPCG(1, 19))
	for range iterations {
		k := &kept{ctx, s.conns}
		if err := k.fill(b.initial()); err != nil {
			return nil, err
		}
		m := &micro{store: k, rand: r}
		broken := b.run(m)
		if m.err != nil {
			return nil, fmt.Errorf("%s on a real server: %w", b.name, m.err)
		}
		count(broke, broken)
	}
	return broke, nil
}

// oltp is micro for a benchmark of OLTP-Bench.
func (s *server) oltp(ctx context.Context, b *oltp, iterations, sessions int) (broke []int, err error) {
	if err := s.fresh(ctx, b.tables); err != nil {
		return nil, err
	}
	broke = make([]int, len(b.checks))
	r := rand.New(rand.NewPCG(1, 20))
	for range iterations {
		if _, err := s.conns[0].Exec(ctx, b.empty()+b.rows); err != nil {
			return nil, err
		}
		broken, err := b.run(ctx, r, s.conns[:sessions+1], isolation.RC)
		if err != nil {
			return nil, err
		}
		count(broke, broken)
	}
	return broke, nil
}
