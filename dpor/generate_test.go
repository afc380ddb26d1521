package dpor_test

import (
	"flag"
	"iter"
	"math/rand/v2"
	"sync"
	"time"
)

var (
	seedFlag    = flag.Uint64("seed", 0, "seed of the random programs and histories; 0 means one from the clock")
	countFlag   = flag.Int("programs", 2400, "number of random programs that the engine is compared on")
	programFlag = flag.String("program", "", "compare the engine on this program instead of random ones")
)

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

// shape bounds random programs. Those with more than histories histories at some
// length are left out.
type shape struct {
	sessions, txns, perSession, vars, ops int // at most
	histories                             int
}

var (
	small = shape{3, 4, 2, 2, 3, 150}
	rich  = shape{4, 6, 3, 3, 4, 400}
	wide  = shape{4, 8, 3, 3, 2, 800} // more transactions, few operations
)

// randomPrograms yields n random programs of the shape.
func randomPrograms(name string, n int, s shape) iter.Seq[*prog] {
	r := random(name)
	return func(yield func(*prog) bool) {
		for range n {
			if !yield(s.program(r)) {
				return
			}
		}
	}
}

// program returns a random program with at least two transactions.
func (s shape) program(r *rand.Rand) *prog {
	for {
		p := s.sketch(r)
		if p.txns() >= 2 && histories(p, s.histories) != nil {
			return p
		}
	}
}

func (s shape) sketch(r *rand.Rand) *prog {
	g := generator{Rand: r, vars: 1 + r.IntN(s.vars), ops: s.ops, control: r.IntN(2) == 0}
	p := &prog{}
	left := 2 + r.IntN(s.txns-1)
	for range 2 + r.IntN(s.sessions-1) {
		var session []txn
		for range min(left, 1+r.IntN(s.perSession)) {
			session = append(session, g.txn())
			left--
		}
		if session != nil {
			p.sessions = append(p.sessions, session)
		}
	}
	if left > 0 && r.IntN(5) == 0 {
		for range min(left, 1+r.IntN(4)/3) {
			p.final = append(p.final, txn{body: g.txn().body}) // Finals always take place
		}
	}
	p.number()
	return p
}

// generator makes random transactions.
type generator struct {
	*rand.Rand
	vars, ops int
	control   bool // conditions and aborts
}

func (g *generator) txn() txn {
	var t txn
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
		case k < 7:
			o.kind = opRead
		case k < 12:
			o.kind, o.unique = opWrite, true
		case k < 13:
			o.kind, o.val = opWrite, 1+g.IntN(2)
		case k < 16:
			o.kind = opInc
		case k < 17:
			o.kind = opSum
		case !g.control:
			o.kind = opRead
		case k < 19 && n > 0:
			o.kind, o.cond = opIf, g.cond()
			o.v = 0
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
		ops = append(ops, o)
	}
	return ops
}
