// Package random throws dice.
package random

import (
	crypto "crypto/rand"
	"hash/maphash"
	"io"
	"math/rand"
	v2 "math/rand/v2"

	"github.com/txmc/txmc"
)

var lasting = rand.New(rand.NewSource(1))

func ExploreRandom(p *txmc.Program) {
	p.Session("s", func(s *txmc.Session) {
		s.Txn("t", func(tx *txmc.Tx) error {
			tx.Write("a", rand.Intn(6))              // want `rand.Intn is random: .*\(random\)`
			tx.Write("b", v2.N(6))                   // want `rand.N is random`
			rand.Shuffle(2, func(i, j int) {})       // want `rand.Shuffle is random`
			tx.Write("c", crypto.Text())             // want `rand.Text is random`
			io.ReadFull(crypto.Reader, []byte{0, 0}) // want `rand.Reader is random`
			tx.Write("d", lasting.Intn(6))           // want `rand.Rand.Intn works on a generator that lasts from run to run`
			_ = maphash.MakeSeed()                   // want `maphash.MakeSeed is random`
			return nil
		})
	})
}

// A generator of the session's own repeats.
func ExploreSeeded(p *txmc.Program) {
	p.Session("s", func(s *txmc.Session) {
		r := v2.New(v2.NewPCG(1, 2))
		old := rand.New(rand.NewSource(7))
		s.Txn("t", func(tx *txmc.Tx) error {
			tx.Write("a", r.IntN(6)+old.Intn(6))
			return nil
		})
	})
}
