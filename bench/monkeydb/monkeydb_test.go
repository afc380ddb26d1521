package monkeydb

import (
	"bytes"
	"encoding/csv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/mock"
)

// latest answers each read with the newest version.
func latest(seed uint64) mock.Options {
	return mock.Options{Level: isolation.SER, Seed: seed, Latest: 1}
}

// No assertion of a micro-benchmark breaks where each read has the newest version.
func TestMicrosHold(t *testing.T) {
	t.Parallel()
	for _, b := range micros() {
		for seed := range uint64(200) {
			w, err := newWeak(latest(seed), b.initial())
			if err != nil {
				t.Fatal(err)
			}
			m := &micro{store: w, rand: rand.New(rand.NewPCG(seed, 1))}
			if broken := b.run(m); m.err != nil || slices.Contains(broken, true) {
				t.Errorf("%s, seed %d: %v, %v", b.name, seed, broken, m.err)
			}
		}
	}
}

// Every assertion of a micro-benchmark breaks at CC and at RC, in no more iterations than
// a seed gets.
func TestMicrosBreak(t *testing.T) {
	t.Parallel()
	for _, b := range micros() {
		for _, level := range Levels() {
			took, err := b.until(level, rand.New(rand.NewPCG(3, 1)))
			if err != nil || slices.Contains(took, 0) {
				t.Errorf("%s at %s: %v, %v", b.name, level, took, err)
			}
		}
	}
}

// No assertion of OLTP-Bench breaks where each read has the newest version: they hold of
// what the transactions do one after another.
func TestOLTPHolds(t *testing.T) {
	t.Parallel()
	for _, b := range oltps() {
		s, err := mock.NewServer(latest(1), pg.Schema(b.tables), pg.Seed(b.rows))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var conns []*pgx.Conn
		for range 4 {
			c, err := pgx.ConnectConfig(t.Context(), s.Config())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close(t.Context())
			conns = append(conns, c)
		}
		short := *b
		short.transactions = always(20)
		broken, err := short.run(t.Context(), rand.New(rand.NewPCG(1, 1)), conns, isolation.SER)
		if err != nil || slices.Contains(broken, true) {
			t.Errorf("%s: %v, %v", b.name, broken, err)
		}
	}
}

// Assertions of each benchmark of OLTP-Bench break on the mock server.
func TestOLTPBreaks(t *testing.T) {
	t.Parallel()
	for _, b := range oltps() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			some := false
			for seed := range deadlinetest.Until(t, 1, func() bool { return some }) {
				broken, err := b.served(t.Context(), isolation.RC, 3, rand.New(rand.NewPCG(uint64(seed), 1)))
				if err != nil {
					t.Fatal(err)
				}
				some = some || slices.Contains(broken, true)
			}
		})
	}
}

// The figures to compare with are those of the artifact's output.
func TestPublished(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		assertion string
		level     isolation.Level
		sessions  int
		want      float64
	}{
		{"A12", isolation.CC, 2, 5}, {"A12", isolation.CC, 3, 20. / 6}, {"A1", isolation.RC, 2, 1}, {"A14", isolation.RC, 3, 20. / 17},
		{"A5", isolation.RC, 3, 0}, {"missing tweets in feed", isolation.CC, 3, 6.3}, {"missing tweets in feed", isolation.RC, 3, 0},
	} {
		if got, _ := published(test.assertion, test.level, test.sessions); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
	for _, b := range oltps() {
		for _, c := range b.checks {
			if _, ok := artifact[c.name]; !ok {
				t.Errorf("%s is not in the artifact", c.name)
			}
		}
	}
}

// The table is at most 80 columns wide, and csv has a line for each row.
func TestWrite(t *testing.T) {
	t.Parallel()
	rows := []Row{
		{Benchmark: "stack", Assertion: "element popped more than once", Iso: "cc", Sessions: 3, Seeds: 100, Broke: 100, Iterations: 123.45, Published: 57.5, Real: 10000},
		{Benchmark: "Voter", Assertion: "A14", Iso: "rc", Sessions: 2},
	}
	var b bytes.Buffer
	if err := Write(&b, "text", rows); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"123.45 more", "never", "0 of 10000"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	for line := range strings.Lines(b.String()) {
		if len(line) > 81 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	b.Reset()
	if err := Write(&b, "csv", rows); err != nil {
		t.Fatal(err)
	}
	if all, err := csv.NewReader(&b).ReadAll(); err != nil || len(all) != 3 {
		t.Errorf("%v, %v", all, err)
	}
	if err := Write(io.Discard, "json", rows); err != nil {
		t.Error(err)
	}
}
