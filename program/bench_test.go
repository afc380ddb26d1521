package program_test

import (
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// reads is a session of three transactions with five reads each.
func reads(p *program.Program) {
	x := program.NewVar(p, "x", 0)
	p.Session("s", func(s *program.Session) {
		for range 3 {
			s.Txn("t", func(tx *program.Tx) error {
				for range 5 {
					x.Get(tx)
				}
				x.Set(tx, 1)
				return nil
			})
		}
	})
}

func benchClient(b *testing.B, explore func(*program.Program), opts program.Options) *program.Client {
	c, err := program.NewClient(b.Name(), explore, opts)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Park)
	return c
}

// BenchmarkLiveChild records the next behaviour of a coroutine that waits.
func BenchmarkLiveChild(b *testing.B) {
	c := benchClient(b, session(func(s *program.Session) {
		for {
			tx := s.Begin("t")
			for range 1000 {
				tx.Read("x")
			}
			tx.Commit()
		}
	}), program.Options{MaxOps: 1 << 30})
	n, err := c.Root(0)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for n.Kind != behaviour.Read {
			n = n.Next()
		}
		if n, err = c.Child(n, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay records behaviours that branch off early: each runs the
// session again up to its ninth read.
func BenchmarkReplay(b *testing.B) {
	c := benchClient(b, reads, program.Options{})
	n, err := c.Root(0)
	for i := 0; i < 8; {
		if err != nil {
			b.Fatal(err)
		}
		if n.Kind != behaviour.Read {
			n = n.Next()
			continue
		}
		n, err = c.Child(n, c.Initial(n.Var))
		i++
	}
	var values []behaviour.ValueID
	for i := range 64 {
		values = append(values, program.Intern(c, i))
	}
	i := 0
	for b.Loop() {
		// The node is asked for values that it does not know; with 64 of them
		// known, the next node is.
		if i == len(values) {
			b.StopTimer()
			c.Park()
			n, i = program.Forget(n), 0
			b.StartTimer()
		}
		if _, err := c.Child(n, values[i]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// BenchmarkKnownChild looks up a behaviour that is recorded.
func BenchmarkKnownChild(b *testing.B) {
	c := benchClient(b, reads, program.Options{})
	root, err := c.Root(0)
	if err != nil {
		b.Fatal(err)
	}
	zero := c.Initial(root.Var)
	if _, err := c.Child(root, zero); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Child(root, zero); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRun makes a client of the smallest program: three calls of the Explore
// function.
func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		c, err := program.NewClient(b.Name(), session(idle), program.Options{})
		if err != nil {
			b.Fatal(err)
		}
		c.Park()
	}
}

// BenchmarkWrite and BenchmarkOwnRead are single operations that need no answer.
func BenchmarkWrite(b *testing.B) {
	operation(b, func(tx *program.Tx, x *program.Var[int], i int) { x.Set(tx, i%10) })
}

func BenchmarkOwnRead(b *testing.B) {
	operation(b, func(tx *program.Tx, x *program.Var[int], i int) { x.Get(tx) })
}

func operation(b *testing.B, do func(*program.Tx, *program.Var[int], int)) {
	measured := false
	benchClient(b, func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		p.Setup(func(tx *program.Tx) error {
			x.Set(tx, 1)
			for i := 0; !measured && b.Loop(); i++ {
				do(tx, x, i)
				program.KeepEvents(tx, 2) // begin and write
			}
			measured = true
			x.Set(tx, 1)
			return nil
		})
		p.Session("s", idle)
	}, program.Options{MaxOps: 1 << 40})
}
