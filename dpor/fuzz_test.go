package dpor_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
)

// bytesSource makes choices of bytes: each decides the upper bits of one number.
// Beyond their end choices are random, but always the same.
type bytesSource struct {
	rest []byte
	more *rand.PCG
}

func (b *bytesSource) Uint64() uint64 {
	v := b.more.Uint64() >> 8
	if len(b.rest) == 0 {
		return v<<8 | v>>48
	}
	v |= uint64(b.rest[0]) << 56
	b.rest = b.rest[1:]
	return v
}

// FuzzPrograms builds a client program of the bytes and compares both engines with
// brute force, and an exploration in pieces with one in a piece.
func FuzzPrograms(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("two sessions of two transactions each"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := shape{3, 5, 2, 2, 3, 120}
		r := rand.New(&bytesSource{data, rand.NewPCG(1, uint64(len(data)))})
		p := s.sketch(r)
		if histories(p, s.histories) == nil {
			return // too many for brute force
		}
		if err := exploreCEStar(p); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		opts := at(isolation.Levels()[r.IntN(len(isolation.Levels()))])
		if r.IntN(2) == 0 {
			opts = serially(serialLevels[r.IntN(len(serialLevels))])
		}
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		one, err := list(client, opts)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := relay(p, opts, r)
		if err != nil {
			t.Fatalf("%s at %s: %v", p, opts.Level, err)
		}
		if counts(got.stats) != counts(one.stats) || len(got.times) != len(one.times) {
			t.Fatalf("%s at %s: %v in pieces, %v in one", p, opts.Level, counts(got.stats), counts(one.stats))
		}
	})
}

// FuzzFrontier: whatever is resumed ends, with an error or not.
func FuzzFrontier(f *testing.F) {
	p := parse("inc x ; w y | inc y ; r x | r y r x")
	client, err := newClient(p)
	if err != nil {
		f.Fatal(err)
	}
	both := []dpor.Options{at(isolation.SI), serially(isolation.SI)}
	for _, opts := range both {
		opts.All, opts.Workers, opts.MaxHistories = true, 1, 3
		opts.Checkpoint = func(fr *dpor.Frontier) error {
			data, err := json.Marshal(fr)
			f.Add(data)
			return err
		}
		for _, err := range dpor.Explore(context.Background(), client, opts).Histories() {
			if err != nil {
				f.Fatal(err)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, opts := range both {
			fr := &dpor.Frontier{}
			if fr.Decode(data) != nil {
				return
			}
			client, err := newClient(p)
			if err != nil {
				t.Fatal(err)
			}
			fr.Shape, fr.Engine, fr.Level, fr.Base, fr.All, fr.List = client.Shape(), opts.Engine, opts.Level.String(), "cc", true, false
			if fr.Engine == "" {
				fr.Engine = dpor.Swap
			}
			opts.Resume, opts.All, opts.Workers = fr, true, 2
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			x := dpor.Explore(ctx, client, opts)
			for _, err := range x.Histories() {
				if err != nil {
					break
				}
			}
			cancel()
			if x.Stats().Stopped == work.ByTimeout && len(fr.Subtrees) < 50 {
				t.Fatal("it does not end")
			}
		}
	})
}
