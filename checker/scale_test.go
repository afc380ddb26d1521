package checker

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// simulate runs a multi-version store with optimistic concurrency control:
// transactions of all sessions interleave, read from the snapshot of their
// begin, and abort when somebody else has written since what they write, or, for
// SER, what they read.
func simulate(sessions, txns, ops, keys int, reads float64, level isolation.Level, seed uint64) *form {
	type version struct {
		at, txn int32
	}
	type open struct {
		begin  int32
		reads  []read
		writes map[int32]bool
		left   int
	}
	type done struct {
		reads  []read
		writes []int32
	}
	r := rand.New(rand.NewPCG(seed, 1))
	store := make([][]version, keys)
	finished := make([][]done, sessions)
	current := make([]*open, sessions)
	running := make([]int, sessions)
	for s := range running {
		running[s] = s
	}
	clock := int32(0)
	last := func(x, at int32) version {
		vs := store[x]
		for i := len(vs) - 1; i >= 0; i-- {
			if vs[i].at <= at {
				return vs[i]
			}
		}
		return version{0, 0}
	}
	id := func(s, i int) int32 { return int32(1 + s*txns + i) }
	for len(running) > 0 {
		k := r.IntN(len(running))
		s := running[k]
		o := current[s]
		if o == nil {
			o = &open{begin: clock, writes: map[int32]bool{}, left: ops}
			current[s] = o
		}
		if o.left > 0 {
			o.left--
			x := int32(r.IntN(keys))
			if r.Float64() >= reads {
				o.writes[x] = true
			} else if !o.writes[x] {
				o.reads = append(o.reads, read{x, last(x, o.begin).txn})
			}
			continue
		}
		current[s] = nil
		ok := true
		for x := range o.writes {
			ok = ok && last(x, clock).at <= o.begin
		}
		if level == isolation.SER && len(o.writes) > 0 {
			for _, e := range o.reads {
				ok = ok && last(e.key, clock).at <= o.begin
			}
		}
		if !ok {
			continue
		}
		clock++
		d := done{reads: o.reads}
		for x := range o.writes {
			store[x] = append(store[x], version{clock, id(s, len(finished[s]))})
			d.writes = append(d.writes, x)
		}
		if finished[s] = append(finished[s], d); len(finished[s]) == txns {
			running[k] = running[len(running)-1]
			running = running[:len(running)-1]
		}
	}
	b := newBuilder(keys, true)
	for _, ds := range finished {
		for i, d := range ds {
			b.begin(i == 0, true)
			for _, e := range d.reads {
				b.read(e.key, e.from)
			}
			for _, x := range d.writes {
				b.write(x)
			}
		}
	}
	return b.end()
}

func BenchmarkGeneral(b *testing.B) {
	for _, c := range []struct {
		name                      string
		sessions, txns, ops, keys int
		reads                     float64
	}{
		{"RH10k", 25, 400, 8, 10000, 0.95},
		{"RW10k", 25, 400, 8, 10000, 0.5},
		{"WH10k", 25, 400, 8, 10000, 0.3},
		{"RW10k1kkeys", 25, 400, 8, 1000, 0.5},
		{"RW100k", 50, 2000, 10, 10000, 0.5},
		{"RW201k1000", 1000, 201, 5, 10000, 0.5},
	} {
		for _, from := range []isolation.Level{isolation.SI, isolation.SER} {
			f := simulate(c.sessions, c.txns, c.ops, c.keys, c.reads, from, 1)
			for _, l := range []isolation.Level{isolation.RC, isolation.RA, isolation.CC, isolation.PC, isolation.SI, isolation.SER} {
				b.Run(fmt.Sprintf("%s/%v/%v", c.name, from, l), func(b *testing.B) {
					for b.Loop() {
						d, err := f.decide(context.Background(), l)
						if err != nil {
							b.Fatal(err)
						}
						if (d.order != nil) != (l <= from) && l <= from {
							b.Fatal("wrong")
						}
						b.ReportMetric(float64(len(d.core)), "core")
					}
				})
			}
		}
	}
}
