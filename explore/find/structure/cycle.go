package structure

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
)

// Structure is a cycle of dependencies between transactions that run at the same time, or
// between calls of several transactions.
type Structure struct {
	Nodes []Node
	// Dependencies lead from the Out of each node to the In of the next one, the last to
	// the first.
	Dependencies []*Dependency
	Deadlock     bool // each waits for what the other one has locked, and none depends on another
}

// Node is a call of a cycle, and its statements there: of one transaction, or of two.
type Node struct {
	In, Out *Step
}

// Call is the call of a node.
func (n Node) Call() *source.Call { return n.Out.Of.Call }

// Split reports whether the statements of a node are in two transactions of the call.
func (n Node) Split() bool { return n.In.Of != n.Out.Of }

// backwards reports whether the cycle may leave the node by a statement that comes before the
// one by which it enters.
func (n Node) backwards() bool {
	return n.Out.before(n.In) || n.Out.Loop && n.In.Loop
}

// Before reports whether a step is before another one of the same call.
func (s *Step) Before(t *Step) bool { return s.before(t) }

// before reports whether a step is before another one of the same call.
func (s *Step) before(t *Step) bool {
	if s.Of != t.Of {
		return s.Of.Index() < t.Of.Index()
	}
	return s.Number < t.Number
}

// Split reports whether a call of the cycle is in it with two of its transactions.
func (s *Structure) Split() bool { return slices.ContainsFunc(s.Nodes, Node.Split) }

// Pair reports whether two calls make the cycle.
func (s *Structure) Pair() bool { return len(s.Nodes) == 2 }

// Length counts the statements of the cycle.
func (s *Structure) Length() (n int) {
	for _, node := range s.Nodes {
		if n++; node.In != node.Out {
			n++
		}
	}
	return n
}

// Level says what transactions are promised that ask for no level.
type Level uint8

// What the levels of databases, and the axiomatic ones, come to for cycles.
const (
	ReadCommitted Level = iota // and all others below
	Gaps                       // REPEATABLE READ of InnoDB: what is locked is the newest version, and gaps are locked
	Snapshot                   // REPEATABLE READ of PostgreSQL, innodb-rr-si, si
	Serializable
)

// of is the level of a transaction.
func (l Level) of(t *Transaction) Level {
	switch t.Level {
	case "rc":
		return ReadCommitted
	case "rr":
		if t.InnoDB {
			return Gaps
		}
		return Snapshot
	case "ser":
		return Serializable
	}
	return l
}

// Allows reports whether the level does not forbid the cycle. None forbids one that leaves a
// call by an earlier transaction than it enters it: the transactions of the cycle have an order
// then (Shasha et al., Transaction Chopping, TODS 1995, section 2: an SC-cycle).
func (l Level) Allows(s *Structure) bool {
	weakest := Serializable
	for _, n := range s.Nodes {
		if n.Split() && n.backwards() {
			return true
		}
		weakest = min(weakest, l.of(n.In.Of), l.of(n.Out.Of))
	}
	for k := range s.Nodes {
		switch weakest {
		case ReadCommitted, Gaps:
			if l.reversed(s, k) {
				return true
			}
		case Snapshot:
			if s.pivot(k) {
				return true
			}
		}
	}
	return false
}

// reversed reports whether the dependency that leaves a node can be against the order of
// commits, at READ COMMITTED. There the node has read before the other one has written, and
// comes after it all the same. At REPEATABLE READ of InnoDB a read is as old as the first one.
func (l Level) reversed(s *Structure, k int) bool {
	if !l.against(s, k) {
		return false
	}
	before := (k + len(s.Nodes) - 1) % len(s.Nodes)
	if l.against(s, before) {
		return true
	}
	n := s.Nodes[k]
	gaps := l.of(n.Out.Of) == Gaps && !n.Split()
	if gaps && s.Dependencies[before].Viewed {
		return false // one snapshot has all that the other one has written, or nothing
	}
	return n.backwards() || gaps && n.In.Of.views(n.In)
}

// against reports whether the dependency that leaves a node is a read that can be overtaken.
func (l Level) against(s *Structure, k int) bool {
	d, t := s.Dependencies[k], s.Nodes[k].Out.Of
	level := l.of(t)
	switch {
	case d.Kind != RW || level == Serializable && t.InnoDB: // where all reads lock
		return false
	case level == Gaps: // what an earlier statement has locked may be read as it was before
		return !d.Locks && (d.Against || t.views(d.From))
	}
	return d.Against
}

// views reports whether a transaction has a read without a lock before a step.
func (t *Transaction) views(before *Step) bool {
	return slices.ContainsFunc(t.Steps, func(s *Step) bool {
		return s.Number < before.Number && slices.ContainsFunc(s.Accesses, func(a *access.Access) bool {
			return a.Kind == access.Read && a.Lock == access.NoLock && !a.Check
		})
	})
}

// pivot reports whether a node has the two consecutive dependencies that every cycle has
// under snapshot isolation (Fekete et al., theorem 2.1).
func (s *Structure) pivot(k int) bool {
	out := s.Dependencies[k]
	into := s.Dependencies[(k+len(s.Nodes)-1)%len(s.Nodes)]
	return out.Kind == RW && into.Kind == RW && !out.Same && !into.Same && !s.Nodes[k].Split()
}

// Most bounds the structures that a search lists.
const Most = 100_000

// Find lists the structures with at most so many statements that the level allows, each
// once, the shortest first. Cycles of three or more transactions are of different ones,
// and are left out where two of them have a cycle by themselves. With calls, cycles between calls
// are listed too in which one is with two of its transactions. Those of three and more are looked for last, until long is
// done. The second result is false when there are more than [Most], or may be.
func Find(ctx, long context.Context, all []*Transaction, level Level, length int, calls bool) (list []*Structure, complete bool) {
	units := make([][]*Transaction, len(all))
	for i, t := range all {
		units[i] = []*Transaction{t}
	}
	searches := []*search{newSearch(ctx, units, level, length, false)}
	if calls {
		searches = append(searches, newSearch(ctx, byCall(all), level, length, true))
	}
	for _, s := range searches {
		s.cycles(2)
	}
	for _, s := range searches {
		s.ctx = long
		for n := 3; n <= length; n++ {
			s.cycles(n)
		}
		list = append(list, s.found...)
	}
	slices.SortStableFunc(list, func(a, b *Structure) int { return a.Length() - b.Length() })
	return list[:min(len(list), Most)], len(list) < Most && ctx.Err() == nil && long.Err() == nil
}

// byCall are the transactions of each call, in the order of the calls.
func byCall(all []*Transaction) (list [][]*Transaction) {
	places := map[*source.Call]int{}
	for _, t := range all {
		i, known := places[t.Call]
		if !known {
			i, list = len(list), append(list, nil)
			places[t.Call] = i
		}
		list[i] = append(list[i], t)
	}
	return list
}

// search is CLOTHO's inner search, over dependencies between units: transactions, or calls.
type search struct {
	ctx    context.Context
	units  [][]*Transaction
	level  Level
	length int
	split  bool // a call is in the cycle with two of its transactions
	nodes  int  // of the cycles that are looked for
	deps   map[[2]int][]*Dependency
	pairs  map[[2]int]bool // of units that have a cycle by themselves
	path   []int
	taken  []*Dependency
	seen   map[string]bool
	found  []*Structure
}

func newSearch(ctx context.Context, units [][]*Transaction, level Level, length int, split bool) *search {
	s := &search{ctx: ctx, units: units, level: level, length: length, split: split, deps: map[[2]int][]*Dependency{}, pairs: map[[2]int]bool{}, seen: map[string]bool{}}
	for i, from := range units {
		if ctx.Err() != nil {
			break
		}
		for j, to := range units {
			for _, t := range from {
				for _, u := range to {
					s.deps[[2]int{i, j}] = append(s.deps[[2]int{i, j}], Dependencies(t, u)...)
				}
			}
		}
	}
	return s
}

// cycles finds those of so many units.
func (s *search) cycles(units int) {
	if s.nodes = units; units > s.length {
		return
	}
	for i := range s.units {
		s.path, s.taken = []int{i}, nil
		s.extend()
	}
}

// extend adds a dependency to the path.
func (s *search) extend() {
	last := s.path[len(s.path)-1]
	if len(s.path) == s.nodes {
		for _, d := range s.deps[[2]int{last, s.path[0]}] {
			s.taken = append(s.taken, d)
			s.close()
			s.taken = s.taken[:len(s.taken)-1]
		}
		return
	}
	for next := s.path[0]; next < len(s.units); next++ { // the first has the smallest number
		if s.nodes > 2 && (slices.Contains(s.path, next) || s.covered(next)) {
			continue
		}
		for _, d := range s.deps[[2]int{last, next}] {
			if len(s.found) >= Most || s.ctx.Err() != nil {
				return
			}
			s.path, s.taken = append(s.path, next), append(s.taken, d)
			if s.count() <= s.length {
				s.extend()
			}
			s.path, s.taken = s.path[:len(s.path)-1], s.taken[:len(s.taken)-1]
		}
	}
}

// covered reports whether a transaction has a cycle with one of the path.
func (s *search) covered(next int) bool {
	return slices.ContainsFunc(s.path, func(i int) bool { return s.pairs[[2]int{min(i, next), max(i, next)}] })
}

// count is the number of statements of the path, at least.
func (s *search) count() int {
	n := s.nodes
	for k := 1; k < len(s.taken); k++ {
		if s.taken[k-1].To != s.taken[k].From {
			n++
		}
	}
	return n
}

// close notes a cycle.
func (s *search) close() {
	n := len(s.path)
	c := &Structure{}
	for k := range n {
		c.Nodes = append(c.Nodes, Node{s.taken[(k+n-1)%n].To, s.taken[k].From})
	}
	c.Dependencies = slices.Clone(s.taken)
	if c.Length() > s.length || c.Split() != s.split || !s.level.Allows(c) || s.level.contradicts(c) {
		return
	}
	if key := s.key(c); !s.seen[key] {
		s.seen[key] = true
		s.found = append(s.found, c)
		if n == 2 {
			s.pairs[[2]int{min(s.path[0], s.path[1]), max(s.path[0], s.path[1])}] = true
		}
	}
}

// key is the same for all rotations of a cycle.
func (s *search) key(c *Structure) string {
	n := len(c.Nodes)
	least := ""
	for r := range n {
		var b strings.Builder
		for k := range n {
			at := (r + k) % n
			d := c.Dependencies[at]
			fmt.Fprintf(&b, "%d.%d.%d-%v%s-%d.%d ", s.path[at], d.From.Of.Index(), d.From.Number, d.Kind, d.Table.Name, d.To.Of.Index(), d.To.Number)
		}
		if text := b.String(); least == "" || text < least {
			least = text
		}
	}
	return least
}
