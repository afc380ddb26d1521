package check

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/isolation"
)

// Bounds of the operational search: the steps it considers, and the bytes of its memo.
const (
	mostSteps = 20_000_000
	mostMemo  = 64 << 20
)

// operational searches a run of a store: it executes the sessions of a recording step by
// step. A step is enabled when the store holds the values that it reads. The search tries
// the enabled step first that stands earliest in the recording. It memoises the states
// from which no run ends, and does not visit them again. The run gives each open read its
// writer (Biswas and Enea, "On the complexity of checking transactional consistency",
// OOPSLA 2019, section 3: polynomial for a fixed number of sessions).
//
// For SER a transaction is one step. For PC and SI it is two: it reads, then it writes.
// For SI no other transaction that writes one of its keys is between the two. For RC
// each read is a step.
type operational struct {
	s       *sources
	level   isolation.Level
	open    map[int32]int // by place among all operations: which open read it is
	steps   [][]step      // by session: what its transactions do that count, or may
	next    []int32       // by session: how many steps have been done or passed over
	left    int           // steps that have not
	current []written     // by key
	writing []int32       // by key: how many transactions that write it have begun and not ended, SI only
	moves   []move
	memoised
	timing
	looked int
}

// written is a version of a key: who wrote it, plus 1, 0 for the initial transaction; and its value, -1 for
// the initial one. What may follow depends on the value alone, as all that wrote it are possible writers of
// a read of it.
type written struct{ by, value int32 }

// timing is what is known of when transactions ran.
type timing struct {
	*returning           // nil without real time
	about      []float64 // by transaction: about when
}

// memoised has the states from which no run ends.
type memoised struct {
	hash  uint64 // of next and current of the present state
	memo  map[uint64][]string
	bytes int // of memo
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
	before  []written // of its keys, what was there before it
	instead []move    // what may be tried in its place
	preference
}

// operational searches a run of a store of the level, or of a stronger one. It returns
// the chosen writer of each open read, or nil when there is no run. ok is false when the
// search exceeds its bounds.
func (s *sources) operational(ctx context.Context, level isolation.Level, r rules) (chosen []int, steps int, ok bool) {
	if !r.session {
		return nil, 0, false
	}
	p := newOperational(s, level)
	for p.left > 0 {
		if p.looked > mostSteps || p.bytes > mostMemo || ctx.Err() != nil {
			return nil, p.looked, false
		}
		options := p.options()
		if len(options) == 0 || p.isMemoised() {
			if !p.backtrack() {
				return nil, p.looked, r.init && level.Implies(isolation.PC) // others allow more than stores do
			}
			continue
		}
		m := options[0]
		m.instead = options[1:]
		p.do(m)
	}
	return p.choices(), p.looked, true
}

func newOperational(s *sources, level isolation.Level) *operational {
	base, real := level.Timeless()
	p := &operational{s: s, level: base, open: make(map[int32]int), current: slices.Repeat([]written{{0, -1}}, s.in.keys),
		writing: make([]int32, s.in.keys), memoised: memoised{memo: make(map[uint64][]string)}}
	for i, o := range s.open {
		p.open[o.op] = i
	}
	p.about = s.in.about()
	for t, x := range s.in.session {
		for int(x) >= len(p.steps) {
			p.steps = append(p.steps, nil)
		}
		if s.keep[t] && s.in.fate[t] != history.Aborted {
			p.steps[x] = append(p.steps[x], p.stepsOf(int32(t))...)
		}
	}
	for _, steps := range p.steps {
		p.left += len(steps)
	}
	if real {
		p.returning = p.newReturning()
	}
	p.next = make([]int32, len(p.steps))
	return p
}

// about is about when each transaction ran: as the recording has it, or, where it has one session
// after another, by its place in its session.
func (in *input) about() []float64 {
	if in.hint != nil {
		return in.hint
	}
	return in.inSession()
}

// inSession is how far on in its session each transaction stands.
func (in *input) inSession() []float64 {
	size := make(map[int32]int)
	at := make([]float64, in.txns())
	for t, x := range in.session {
		at[t] = float64(size[x])
		size[x]++
	}
	for t, x := range in.session {
		at[t] /= float64(size[x])
	}
	return at
}

func (p *operational) stepsOf(t int32) []step {
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

// options returns the moves of the current state, the best first. A step that affects no
// other is the only option: doing it now excludes nothing.
func (p *operational) options() []move {
	var options, passed []move
	for x, steps := range p.steps {
		if int(p.next[x]) == len(steps) {
			continue
		}
		st := &steps[p.next[x]]
		p.looked++
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
	for i := range options {
		options[i].preference = p.preference(options[i])
	}
	slices.SortStableFunc(options, func(a, b move) int { return a.compare(b.preference) })
	return append(options, passed...)
}

// fits reports whether a step is enabled: the store holds the values that it reads, and
// for SI no open transaction writes a key of its transaction. A faulty read never fits.
func (p *operational) fits(st *step) bool {
	s := p.s
	if s.faulty[st.txn] || p.returning != nil && st.begins && !p.allReturned(st.txn) {
		return false
	}
	for op := st.lo; op < st.hi; op++ {
		if from := s.from[op]; !s.in.ops[op].write && from != own && !p.isFrom(op, p.current[s.in.ops[op].key].by) {
			return false
		}
	}
	return p.level != isolation.SI || !st.begins ||
		!slices.ContainsFunc(s.in.opsOf(st.txn), func(o op) bool { return o.write && p.writing[o.key] > 0 })
}

// isFrom reports whether a read may be from a writer.
func (p *operational) isFrom(op, writer int32) bool {
	if i, ok := p.open[op]; ok {
		return slices.Contains(p.s.open[i].from, writer)
	}
	return p.s.from[op] == writer
}

// affects reports whether a step changes what other steps may do: others see its writes,
// others may not write its keys, or its transaction can no longer be passed over.
func (p *operational) affects(st *step) bool {
	return (st.ends || p.level == isolation.SI || !p.s.sure[st.txn]) &&
		slices.ContainsFunc(p.s.in.opsOf(st.txn), func(o op) bool { return o.write })
}

func (p *operational) do(m move) {
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
					p.set(o.key, written{st.txn + 1, p.s.in.plain(o.value)})
				}
			}
		}
	}
	p.advance(m.session, count)
	p.moves = append(p.moves, m)
}

func (p *operational) undo(m move) {
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

// hold counts, for each key that the step's transaction writes, how many transactions are
// writing the key. It adds one where a transaction begins, and takes one away where it
// ends. With -1 for by it undoes that.
func (p *operational) hold(st *step, by int32) {
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

func (p *operational) advance(session, count int32) {
	p.rehash(uint64(session)<<33|1<<32, p.next[session], p.next[session]+count)
	p.next[session] += count
	p.left -= int(count)
}

func (p *operational) set(key int32, v written) {
	p.rehash(uint64(key)<<33, p.current[key].value+1, v.value+1)
	p.current[key] = v
}

// plain is a value, or -1 for an initial one.
func (in *input) plain(value int32) int32 {
	if in.initial[value] {
		return -1
	}
	return value
}

// rehash updates the hash of the state where a number changes.
func (p *operational) rehash(what uint64, from, to int32) {
	p.hash ^= mix(what|uint64(from)) ^ mix(what|uint64(to))
}

// mix is the finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// backtrack returns to the last move that has an alternative, and does the alternative.
// It returns false when there is none.
func (p *operational) backtrack() bool {
	for len(p.moves) > 0 {
		p.memoise()
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

func (p *operational) isMemoised() bool {
	same := p.memo[p.hash]
	return len(same) > 0 && slices.Contains(same, p.state())
}

// memoise notes that no run ends from the current state.
func (p *operational) memoise() {
	if !p.isMemoised() {
		state := p.state()
		p.memo[p.hash] = append(p.memo[p.hash], state)
		p.bytes += len(state) + 64
	}
}

// state encodes next and the values of current, which determine what may follow.
func (p *operational) state() string {
	var b []byte
	for _, n := range p.next {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, v := range p.current {
		b = binary.AppendUvarint(b, uint64(v.value+1))
	}
	return string(b)
}

// choices repeats the moves and notes the writer of each open read.
func (p *operational) choices() []int {
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
					chosen[i] = slices.Index(p.s.open[i].from, p.current[p.s.in.ops[op].key].by)
				}
			}
		}
		p.do(m)
	}
	return chosen
}
