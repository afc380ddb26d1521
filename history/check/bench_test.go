package check_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/isolation"
)

// Each benchmark takes a recording and counts everything that is done with it: finding
// out what is read from where, and deciding. peak-MB is the most memory that the
// process has ever had. It includes the recording and the simulated store: so run one
// benchmark at a time for it.

func benchmark(b *testing.B, r *check.Recording, decide func(c *check.Checker) (*check.Verdict, error)) {
	b.Helper()
	for b.Loop() {
		c, err := r.Checker(check.Options{})
		if err != nil {
			b.Fatal(err)
		}
		v, err := decide(c)
		if err != nil || v.Outcome != check.Satisfied {
			b.Fatal(v, err)
		}
	}
	b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
}

func at(l isolation.Level) func(*check.Checker) (*check.Verdict, error) {
	return func(c *check.Checker) (*check.Verdict, error) { return c.Decide(context.Background(), l) }
}

// peak returns the most bytes that the process has had, where Linux tells.
func peak() int {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); f[0] == "VmHWM:" {
			n, _ := strconv.Atoi(f[1])
			return n << 10
		}
	}
	return 0
}

func BenchmarkLevels(b *testing.B) {
	for _, c := range []struct {
		name string
		store
	}{
		{"RH10k", store{25, 400, 8, 10000, 0.95, isolation.SER}},
		{"RW10k", store{25, 400, 8, 10000, 0.5, isolation.SER}},
		{"WH10k", store{25, 400, 8, 10000, 0.3, isolation.SER}},
		{"RW100k", store{50, 2000, 8, 10000, 0.5, isolation.SER}},
		{"1000sessions", store{1000, 201, 5, 10000, 0.5, isolation.SER}},
		{"RW1M", store{50, 20000, 20, 100000, 0.5, isolation.SI}},
	} {
		for _, l := range isolation.Levels() {
			b.Run(fmt.Sprintf("%s/%v", c.name, l), func(b *testing.B) {
				if l > c.level || testing.Short() {
					b.Skip("the store promises ", c.level)
				}
				benchmark(b, c.record(c.run(1)), at(l))
			})
		}
	}
}

// Serialization orders, timestamps and version orders of 100,000 transactions.
func BenchmarkCertificates(b *testing.B) {
	s := store{50, 2000, 8, 10000, 0.5, isolation.SER}
	txns := s.run(1)
	b.Run("serial", func(b *testing.B) {
		r := s.record(txns)
		order := make([]int, len(txns))
		for i := range order {
			order[i] = i
		}
		r.Serial(order)
		benchmark(b, r, (*check.Checker).Serial)
	})
	for _, l := range []isolation.Level{isolation.SI, isolation.SER} {
		b.Run("timestamps/"+l.String(), func(b *testing.B) {
			r := s.stamped(txns)
			benchmark(b, r, func(c *check.Checker) (*check.Verdict, error) { return c.Timestamps(l) })
		})
		b.Run("versions/"+l.String(), func(b *testing.B) {
			r := s.record(txns)
			s.versions(r, txns)
			benchmark(b, r, at(l))
		})
	}
}

// stamped records the transactions with their timestamps.
func (s store) stamped(txns []storeTxn) *check.Recording {
	r := check.NewRecording()
	for x := range s.keys {
		r.Key("k" + strconv.Itoa(x))
	}
	for _, t := range txns {
		s.add(r, t)
		r.Timestamps(t.begin, t.commit)
	}
	return r
}

// 2,500 transactions, each of which reads all of 200 keys by a predicate, and
// writes one.
func BenchmarkPredicates(b *testing.B) {
	for _, l := range []isolation.Level{isolation.SI, isolation.SER} {
		b.Run(l.String(), func(b *testing.B) {
			benchmark(b, predicates(2500, 200), at(l))
		})
	}
}

func predicates(n, keys int) *check.Recording {
	r := check.NewRecording()
	even := func(v check.Version) bool { return !v.Initial && v.Value%2 == 0 }
	now := make([]check.Version, keys)
	orders := make([][]int64, keys)
	for x := range keys {
		now[x] = check.Version{Key: r.Key("k" + strconv.Itoa(x)), Initial: true}
	}
	for i := range n {
		r.Begin(i%10, history.Committed)
		var set, result []check.Version
		for _, v := range now {
			set = append(set, v)
			if even(v) {
				result = append(result, v)
				r.Read(v)
			}
		}
		r.Predicate(set, result, even)
		x := i * 7 % keys
		now[x].Value, now[x].Initial = int64(i*13%1000+i*1000+1), false
		r.Write(now[x])
		orders[x] = append(orders[x], now[x].Value)
	}
	for x := range keys {
		r.Versions(check.Key(x), orders[x])
	}
	return r
}
