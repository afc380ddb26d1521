package workload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/isolation"
)

// Bug is what a store may do wrong. Each bug shows in a few transactions made for it,
// while nothing else runs: exactly the levels that forbid it are violated.
type Bug uint8

const (
	// NoBug: the store keeps its level.
	NoBug Bug = iota
	// LostUpdate: two transactions read a version and both replace it.
	LostUpdate
	// StaleRead: a transaction does not see what its session has written.
	StaleRead
	// LostWrite: a transaction that has committed left no trace.
	LostWrite
	// DirtyRead: a transaction sees what another one has written and rolled back.
	DirtyRead
	// Causality: a transaction sees an answer and not what it answers.
	Causality
	// LongFork: two transactions see two writes in opposite orders.
	LongFork
	// WriteSkew: two transactions read two keys, and each writes one of them.
	WriteSkew
)

var bugNames = [...]string{"none", "lost-update", "stale-read", "lost-write", "dirty-read", "causality", "long-fork", "write-skew"}

// String returns the name that [ParseBug] knows.
func (b Bug) String() string { return bugNames[b] }

// Bugs are all bugs.
func Bugs() []Bug {
	return []Bug{LostUpdate, StaleRead, LostWrite, DirtyRead, Causality, LongFork, WriteSkew}
}

// ParseBug returns the bug of that name.
func ParseBug(name string) (Bug, error) {
	if b := slices.Index(bugNames[:], strings.ToLower(strings.ReplaceAll(name, " ", "-"))); b >= 0 {
		return Bug(b), nil
	}
	return NoBug, fmt.Errorf("unknown bug %q: the bugs are %s", name, strings.Join(bugNames[1:], ", "))
}

// Weakest is the weakest level that forbids the bug; all stronger ones do too.
func (b Bug) Weakest() isolation.Level { return scripts[b].weakest }

// script is how a bug shows.
type script struct {
	weakest        isolation.Level
	sessions, keys int
	steps          []step
}

// step is a transaction of a script.
type step struct {
	session int
	ops     string // r0 reads the script's first key, w1 writes its second
	blind   []int  // earlier steps that it does not see
	how     how
}

type how uint8

const (
	commits how = iota
	aborts      // yet what it wrote is seen
	leaks       // says that it commits and does not
)

// scripts are the anomalies of Adya (1999), Biswas and Enea (2019) and Cerone and
// Gotsman (2018). What is overwritten is read first, so that the order of the
// versions is known.
var scripts = [...]script{
	LostUpdate: {isolation.SI, 2, 1, []step{{0, "r0 w0", nil, commits}, {1, "r0 w0", []int{0}, commits}}},
	StaleRead:  {isolation.RA, 1, 1, []step{{0, "r0 w0", nil, commits}, {0, "r0", []int{0}, commits}}},
	LostWrite:  {isolation.RA, 1, 1, []step{{0, "r0 w0", nil, leaks}, {0, "r0", nil, commits}}},
	DirtyRead:  {isolation.RC, 2, 1, []step{{0, "r0 w0", nil, aborts}, {1, "r0", nil, commits}}},
	Causality: {isolation.CC, 3, 2, []step{{0, "r0 w0", nil, commits}, {1, "r0 r1 w1", nil, commits},
		{2, "r1 r0", []int{0}, commits}}},
	LongFork: {isolation.PC, 2, 2, []step{{0, "r0 w0", nil, commits}, {1, "r1 w1", nil, commits},
		{0, "r0 r1", []int{1}, commits}, {1, "r1 r0", []int{0}, commits}}},
	WriteSkew: {isolation.SER, 2, 2, []step{{0, "r0 r1 w0", nil, commits}, {1, "r0 r1 w1", []int{0}, commits}}},
}

// show runs the script of the bug, in sessions and on keys chosen by chance.
func (g *Generator) show() error {
	g.shown++
	g.s.pull()
	sc := scripts[g.c.Bug]
	st := stage{g: g, sessions: g.distinct(sc.sessions, g.c.Sessions), began: g.s.tick() + 1}
	for _, k := range g.distinct(sc.keys, g.c.Keys) {
		st.keys = append(st.keys, int32(k))
		st.base = append(st.base, g.s.latest(int32(k)))
	}
	for i, p := range sc.steps {
		if err := st.perform(i, p); err != nil {
			return err
		}
	}
	g.s.pull()
	return nil
}

// distinct chooses n different numbers below most.
func (g *Generator) distinct(n, most int) []int {
	var chosen []int
	for len(chosen) < n {
		if i := g.rng.IntN(most); !slices.Contains(chosen, i) {
			chosen = append(chosen, i)
		}
	}
	return chosen
}

// stage is where a script is played.
type stage struct {
	g        *Generator
	sessions []int
	keys     []int32
	base     []version // by key of the script: what is there at first
	began    int64
	written  []performed
}

// performed is a version that a step has written.
type performed struct {
	step, key int
	version
}

// sees returns the version of a key of the script that a step reads.
func (st *stage) sees(p step, key int) version {
	for i := len(st.written) - 1; i >= 0; i-- {
		if w := st.written[i]; w.key == key && !slices.Contains(p.blind, w.step) {
			return w.version
		}
	}
	return st.base[key]
}

// perform runs a step of the script as a transaction.
func (st *stage) perform(i int, p step) error {
	s := st.g.s
	t := st.g.fresh(st.sessions[p.session])
	if t.Start = st.began; p.blind == nil {
		t.Start = s.tick() + 1
	}
	var wrote []int
	for op := range strings.FieldsSeq(p.ops) {
		k := int(op[1] - '0')
		if op[0] == 'r' {
			t.sees(st.keys[k], st.sees(p, k))
		} else {
			t.write(st.keys[k], st.g.next())
			wrote = append(wrote, k)
		}
	}
	fate := history.Committed
	switch p.how {
	case commits:
		s.install(t)
		for _, k := range wrote {
			st.written = append(st.written, performed{i, k, s.latest(st.keys[k])})
		}
	case aborts:
		fate = history.Aborted
		fallthrough
	case leaks:
		t.Commit = s.tick()
		s.last[t.Session] = t.Commit
	}
	if p.how == aborts {
		for _, k := range wrote {
			v, _ := t.own(st.keys[k])
			st.written = append(st.written, performed{i, k, version{value: v}})
		}
	}
	return st.g.hand(t, fate)
}
