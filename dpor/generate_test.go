package dpor_test

import (
	"flag"
	"iter"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/txmc/txmc/program/deadlinetest"
)

var (
	seedFlag    = flag.Uint64("seed", 0, "seed of the random programs and histories; 0 means one from the clock")
	countFlag   = deadlinetest.Flag("programs", 160, 20, "number of random programs that the engine is compared on; from 400 on no test has fewer than it was made for")
	programFlag = flag.String("program", "", "compare the engine on this program instead of random ones")
)

// brief reports whether what takes long is left out, as with few random programs.
func brief() bool { return testing.Short() || countFlag.N() < 400 }

// seed is the seed of this run.
var seed = sync.OnceValue(func() uint64 {
	if *seedFlag == 0 {
		return uint64(time.Now().UnixNano())%1_000_000_000 + 1
	}
	return *seedFlag
})

// random returns a generator for a named part of the tests.
func random(name string) *rand.Rand {
	h := uint64(14695981039346656037)
	for _, b := range []byte(name) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed(), h))
}

// portion is how many random programs a test has, of n, when each takes long. A test has
// all n with -programs=400 and more, and else as many as the flag leaves.
func portion(n int) int { return max(1, min(n, n*countFlag.N()/400)) }

// shape bounds random programs.
type shape struct {
	sessions, txns, perSession, vars, ops int // at most
	histories                             int // at any length, at most
}

var (
	small = shape{3, 4, 2, 2, 3, 150}
	rich  = shape{4, 6, 3, 3, 4, 400}
	wide  = shape{4, 8, 3, 3, 2, 800} // more transactions, few operations
)

// concat yields what one sequence has, and then what the other one has.
func concat[T any](one, other iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range one {
			if !yield(v) {
				return
			}
		}
		other(yield)
	}
}

// few is a number of histories that leaves an exploration little to decide. Of
// the programs with fewer most are left out.
const few = 4

// randomPrograms yields n random programs of the shape.
func randomPrograms(name string, n int, s shape) iter.Seq[*prog] {
	return s.programs(name, func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	})
}

// programsUntil yields n random programs of the shape, and more until there are enough:
// [deadlinetest.Until].
func programsUntil(t testing.TB, name string, n int, s shape, enough func() bool) iter.Seq[*prog] {
	return s.programs(name, deadlinetest.Until(t, n, enough))
}

// programs yields a random program for each case.
func (s shape) programs(name string, cases iter.Seq[int]) iter.Seq[*prog] {
	r := random(name)
	return func(yield func(*prog) bool) {
		for range cases {
			if !yield(s.program(r)) {
				return
			}
		}
	}
}

// program returns a random program that is not too large.
func (s shape) program(r *rand.Rand) *prog {
	for {
		p := s.sketch(r)
		if all := histories(p, s.histories); all != nil && (len(all) >= few || r.IntN(10) == 0) {
			return p
		}
	}
}

// sketch deals out transactions to sessions, at least one each.
func (s shape) sketch(r *rand.Rand) *prog {
	g := generator{Rand: r, vars: 1 + r.IntN(s.vars), ops: s.ops, control: r.IntN(2) == 0, plain: r.IntN(3) == 0}
	p := &prog{sessions: make([][]txn, 2+r.IntN(s.sessions-1))}
	n := len(p.sessions) + r.IntN(s.txns-len(p.sessions)+1)
	for i := range n {
		k := i
		if i >= len(p.sessions) {
			k = r.IntN(len(p.sessions))
		}
		if len(p.sessions[k]) < s.perSession {
			p.sessions[k] = append(p.sessions[k], g.txn())
		} else if r.IntN(3) == 0 {
			p.final = append(p.final, txn{body: g.txn().body}) // Finals always take place
		}
	}
	if n < s.txns && len(p.final) == 0 && r.IntN(6) == 0 {
		p.final = append(p.final, txn{body: g.txn().body})
	}
	p.number()
	return p
}

// generator makes random transactions.
type generator struct {
	*rand.Rand
	vars, ops int
	control   bool // conditions and aborts
	plain     bool // every transaction reads variables, or writes variables, once each
}

func (g *generator) txn() txn {
	var t txn
	if g.plain {
		return txn{body: g.once()}
	}
	if g.control && g.IntN(8) == 0 {
		c := g.cond()
		t.when = &c
	}
	t.body = g.list(g.IntN(g.ops) + 1)
	if g.control && g.IntN(8) == 0 {
		t.body = append(t.body, op{kind: opAbort})
	}
	return t
}

// once reads some variables, or writes some. Two of them are most of what tells
// the levels apart.
func (g *generator) once() []op {
	o := op{kind: opRead}
	if g.IntN(2) == 0 {
		o = op{kind: opWrite, unique: true}
	}
	var ops []op
	for _, o.v = range g.Perm(g.vars)[:1+g.IntN(min(g.vars, g.ops))] {
		ops = append(ops, o)
	}
	return ops
}

func (g *generator) cond() cond {
	switch g.IntN(4) {
	case 0:
		return cond{parity: "odd"}
	case 1:
		return cond{parity: "even"}
	case 2:
		return cond{number: g.IntN(3)}
	}
	return cond{number: firstUnique + g.IntN(4)}
}

// list returns up to n operations, those of branches counted.
func (g *generator) list(n int) []op {
	var ops []op
	for n > 0 {
		o := op{v: g.IntN(g.vars)}
		n--
		switch k := g.IntN(20); {
		case k < 9:
			o.kind = opRead
		case k < 13:
			o.kind, o.unique = opWrite, true
		case k < 14:
			o.kind, o.val = opWrite, 1+g.IntN(2)
		case k < 16:
			o.kind = opInc
		case k < 17:
			o.kind = opSum
		case !g.control:
			o.kind = opRead
		case k < 19 && n > 0:
			o.kind, o.cond, o.v = opIf, g.cond(), 0
			inside := 1 + g.IntN(n)
			o.then = g.list(inside)
			if n -= inside; n > 0 && g.IntN(2) == 0 {
				inside = 1 + g.IntN(n)
				o.orElse = g.list(inside)
				n -= inside
			}
		case k < 19:
			o.kind, o.unique = opWrite, true
		default:
			o.kind, o.v = opAbort, 0
		}
		if len(ops) > 0 && o.repeats(ops[len(ops)-1]) && g.IntN(4) > 0 {
			o.v = (o.v + 1) % g.vars
		}
		ops = append(ops, o)
	}
	return ops
}

// repeats reports whether o does to the same variable what the operation before
// did, which is good to have but not often.
func (o op) repeats(before op) bool {
	return o.v == before.v && o.kind != opIf && o.kind != opAbort && (o.kind == opRead) == (before.kind == opRead)
}
