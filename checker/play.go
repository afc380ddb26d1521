package checker

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// How often steps are looked at before a play is given up, and how many bytes the
// states may take from which no end is reached.
const (
	mostLooks = 20_000_000
	mostDead  = 64 << 20
)

// play runs the sessions of a recording step by step, as a store would: a step is
// done when what it reads is there, that which stands earlier in the recording
// first. A state from which no end is reached is not tried again. So it finds the
// order of a store that could have given the values, if there is one, whichever of
// several writers the reads are from, unless it takes too long (Biswas and Enea, "On
// the complexity of checking transactional consistency", OOPSLA 2019, section 3:
// polynomial for a given number of sessions).
//
// For SER a transaction is a step. For PC and SI it is two: it reads, then it writes,
// and for SI no other that writes one of its keys is between the two. For RC each
// read is a step.
type play struct {
	s       *sources
	level   isolation.Level
	open    map[int32]int // by place among all operations: which open read it is
	steps   [][]step      // by session: what its transactions do that count, or may
	next    []int32       // by session: how many steps have been done or passed over
	left    int           // steps that have not
	current []int32       // by key: who wrote it last, plus 1; 0 is the initial transaction
	writing []int32       // by key: how many transactions that write it have begun and not ended, SI only
	moves   []move
	hash    uint64 // of next and current
	dead    map[uint64][]string
	bytes   int // of dead
	looks   int
}

// step is a part of a transaction: its reads among the operations from lo up to hi,
// and if it ends it all its writes.
type step struct {
	txn, lo, hi  int32
	begins, ends bool
	after        int32 // how many steps of the transaction follow
}

// move is a step that was done, or a transaction that was passed over.
type move struct {
	session int32
	passed  bool
	before  []int32 // the writers of its keys before it
	instead []move  // what may be tried in its place
}

// play looks for a run of a store that keeps the level, or a stronger one, and
// returns for each open read which of its writers that gives it, nil when there is
// no such run. It is false when it has been given up.
func (s *sources) play(ctx context.Context, level isolation.Level, r rules) (chosen []int, ok bool) {
	if !r.session {
		return nil, false
	}
	p := newPlay(s, level)
	for p.left > 0 {
		if p.looks > mostLooks || p.bytes > mostDead || ctx.Err() != nil {
			return nil, false
		}
		options := p.options()
		if len(options) == 0 || p.isDead() {
			if !p.back() {
				return nil, r.init && level >= isolation.PC // others allow more than stores do
			}
			continue
		}
		m := options[0]
		m.instead = options[1:]
		p.do(m)
	}
	return p.choices(), true
}

func newPlay(s *sources, level isolation.Level) *play {
	p := &play{s: s, level: level, open: make(map[int32]int), current: make([]int32, s.in.keys),
		writing: make([]int32, s.in.keys), dead: make(map[uint64][]string)}
	for i, o := range s.open {
		p.open[o.op] = i
	}
	for t, x := range s.in.session {
		for int(x) >= len(p.steps) {
			p.steps = append(p.steps, nil)
		}
		if s.keep[t] && s.in.outcome[t] != aborted {
			p.steps[x] = append(p.steps[x], p.stepsOf(int32(t))...)
		}
	}
	for _, steps := range p.steps {
		p.left += len(steps)
	}
	p.next = make([]int32, len(p.steps))
	return p
}

func (p *play) stepsOf(t int32) []step {
	lo, hi := p.s.in.off[t], p.s.in.off[t+1]
	var steps []step
	switch p.level {
	case isolation.SER:
		return []step{{t, lo, hi, true, true, 0}}
	case isolation.RC:
		for op := lo; op < hi; op++ {
			if from := p.s.from[op]; !p.s.in.ops[op].write && from != own {
				steps = append(steps, step{txn: t, lo: op, hi: op + 1})
			}
		}
	default:
		steps = append(steps, step{txn: t, lo: lo, hi: hi})
	}
	steps = append(steps, step{txn: t, lo: hi, hi: hi, ends: true})
	steps[0].begins = true
	for i := range steps {
		steps[i].after = int32(len(steps) - 1 - i)
	}
	return steps
}

// options returns what may be done now, the best first. A step that writes nothing,
// and keeps nobody from writing, is the only one: to do it now excludes nothing.
func (p *play) options() []move {
	var options, passed []move
	for x, steps := range p.steps {
		if int(p.next[x]) == len(steps) {
			continue
		}
		st := &steps[p.next[x]]
		p.looks++
		m := move{session: int32(x)}
		if p.fits(st) {
			if !p.affects(st) {
				return []move{m}
			}
			options = append(options, m)
		}
		if st.begins && !p.s.sure[st.txn] {
			m.passed = true
			passed = append(passed, m)
		}
	}
	at := func(m move) int { return int(p.steps[m.session][p.next[m.session]].txn) }
	slices.SortFunc(options, func(a, b move) int { return at(a) - at(b) })
	return append(options, passed...)
}

// fits reports whether what the step reads is there, and nobody is writing what its
// transaction will; one that reads what no level allows never fits.
func (p *play) fits(st *step) bool {
	s := p.s
	if s.faulty[st.txn] {
		return false
	}
	for op := st.lo; op < st.hi; op++ {
		if from := s.from[op]; !s.in.ops[op].write && from != own && !p.isFrom(op, p.current[s.in.ops[op].key]) {
			return false
		}
	}
	return p.level != isolation.SI || !st.begins ||
		!slices.ContainsFunc(s.in.opsOf(st.txn), func(o op) bool { return o.write && p.writing[o.key] > 0 })
}

// isFrom reports whether a read may be from a writer.
func (p *play) isFrom(op, writer int32) bool {
	if i, ok := p.open[op]; ok {
		return slices.Contains(p.s.open[i].from, writer)
	}
	return p.s.from[op] == writer
}

// affects reports whether less can be done after the step, or something else: others
// see what it writes, or may not write, or its transaction cannot be passed over.
func (p *play) affects(st *step) bool {
	return (st.ends || p.level == isolation.SI || !p.s.sure[st.txn]) &&
		slices.ContainsFunc(p.s.in.opsOf(st.txn), func(o op) bool { return o.write })
}

func (p *play) do(m move) {
	st := &p.steps[m.session][p.next[m.session]]
	count := int32(1)
	m.before = nil
	if m.passed {
		count = 1 + st.after
	} else {
		p.hold(st, 1)
		if st.ends {
			for _, o := range p.s.in.opsOf(st.txn) {
				if o.write {
					m.before = append(m.before, p.current[o.key])
					p.set(o.key, st.txn+1)
				}
			}
		}
	}
	p.advance(m.session, count)
	p.moves = append(p.moves, m)
}

func (p *play) undo(m move) {
	count := int32(-1)
	if m.passed {
		for st := p.steps[m.session][p.next[m.session]+count]; !st.begins; st = p.steps[m.session][p.next[m.session]+count] {
			count--
		}
	}
	p.advance(m.session, count)
	if m.passed {
		return
	}
	st := &p.steps[m.session][p.next[m.session]]
	p.hold(st, -1)
	ops := p.s.in.opsOf(st.txn)
	for i, k := len(ops)-1, len(m.before)-1; k >= 0; i-- {
		if ops[i].write {
			p.set(ops[i].key, m.before[k])
			k--
		}
	}
}

// hold notes that the keys that the step's transaction writes are being written, or
// with -1 that they were not.
func (p *play) hold(st *step, by int32) {
	if st.begins == st.ends {
		return
	}
	if st.ends {
		by = -by
	}
	for _, o := range p.s.in.opsOf(st.txn) {
		if o.write {
			p.writing[o.key] += by
		}
	}
}

func (p *play) advance(session, count int32) {
	p.turn(uint64(session)<<33|1<<32, p.next[session], p.next[session]+count)
	p.next[session] += count
	p.left -= int(count)
}

func (p *play) set(key, writer int32) {
	p.turn(uint64(key)<<33, p.current[key], writer)
	p.current[key] = writer
}

// turn changes the state's hash where a number becomes another one.
func (p *play) turn(what uint64, from, to int32) {
	p.hash ^= mix(what|uint64(from)) ^ mix(what|uint64(to))
}

// mix is the finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// back goes back to the last move instead of which there is another, and does that.
func (p *play) back() bool {
	for len(p.moves) > 0 {
		p.bury()
		m := p.moves[len(p.moves)-1]
		p.moves = p.moves[:len(p.moves)-1]
		p.undo(m)
		if len(m.instead) > 0 {
			other := m.instead[0]
			other.instead = m.instead[1:]
			p.do(other)
			return true
		}
	}
	return false
}

func (p *play) isDead() bool {
	same := p.dead[p.hash]
	return len(same) > 0 && slices.Contains(same, p.state())
}

// bury notes that no end is reached from here.
func (p *play) bury() {
	if !p.isDead() {
		state := p.state()
		p.dead[p.hash] = append(p.dead[p.hash], state)
		p.bytes += len(state) + 64
	}
}

// state is next and current, which say all.
func (p *play) state() string {
	var b []byte
	for _, n := range p.next {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, t := range p.current {
		b = binary.AppendUvarint(b, uint64(t))
	}
	return string(b)
}

// choices does the moves once more and notes what the open reads are from.
func (p *play) choices() []int {
	chosen := make([]int, len(p.s.open))
	moves := p.moves
	for i := len(moves) - 1; i >= 0; i-- {
		p.undo(moves[i])
	}
	p.moves = nil
	for _, m := range moves {
		if st := p.steps[m.session][p.next[m.session]]; !m.passed {
			for op := st.lo; op < st.hi; op++ {
				if i, ok := p.open[op]; ok {
					chosen[i] = slices.Index(p.s.open[i].from, p.current[p.s.in.ops[op].key])
				}
			}
		}
		p.do(m)
	}
	return chosen
}
