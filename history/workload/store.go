package workload

import (
	"math/rand/v2"

	"github.com/txmc/txmc/isolation"
)

// store is a multi-version store. Transactions commit one after another; in all
// levels but CC the commit order of the axioms is the order of these times.
type store struct {
	level    isolation.Level
	rng      *rand.Rand
	now      int64
	versions [][]version // by key, oldest first; the initial version is not kept
	cut      []bool      // by key: old versions have been forgotten
	last     []int64     // by session: when its last transaction committed
	order    [][]int64   // by key: the values, oldest first; nil unless asked for

	replicas []replica // of CC
}

// version is a value that a transaction has committed.
type version struct {
	at    int64 // when it was committed; 0 for the initial one
	value int64
	by    *commit // nil for the initial one
}

// commit is what later transactions must know of one that has committed.
type commit struct {
	at     int64
	keys   []int32 // that it writes
	origin int     // its session; of CC its replica
	index  int32   // of CC: in the replica's log, from 1
}

func (c *commit) writes(key int32) bool {
	for _, k := range c.keys {
		if k == key {
			return true
		}
	}
	return false
}

// kept is how many versions of a key are remembered at least.
const kept = 16

// tx is a transaction that is running.
type tx struct {
	Txn
	view  []int32 // CC: how much of each replica's log is seen
	reads []seen  // external reads
	plan  int     // operations still to be made
	alone bool    // nothing else runs until it has ended
}

// seen is an external read.
type seen struct {
	key int32
	version
}

func newStore(c *Config, rng *rand.Rand) *store {
	s := &store{level: c.Level, rng: rng, versions: make([][]version, c.Keys), cut: make([]bool, c.Keys), last: make([]int64, c.Sessions)}
	if c.VersionOrder {
		s.order = make([][]int64, c.Keys)
	}
	if c.Level == isolation.CC {
		s.replicas = newReplicas(min(c.Sessions, 8))
	}
	return s
}

// tick advances the clock, which is even when a transaction commits and odd when
// one begins.
func (s *store) tick() int64 {
	s.now += 2
	return s.now
}

// begin takes the transaction's snapshot. At PC and SI the snapshot may be an old one,
// but not older than the session's last commit.
func (s *store) begin(t *tx) {
	t.Start = s.tick() + 1
	if (s.level == isolation.PC || s.level == isolation.SI) && !t.alone && s.rng.IntN(4) == 0 {
		if old := t.Start - 2*s.rng.Int64N(16); old > s.last[t.Session] {
			t.Start = old
		}
	}
	if s.replicas != nil {
		t.view = s.view(t.Session)
	}
}

// own returns what the transaction itself last wrote to the key.
func (t *tx) own(key int32) (int64, bool) {
	for i := len(t.Ops) - 1; i >= 0; i-- {
		if o := t.Ops[i]; o.Write && o.Key == key {
			return o.Value, true
		}
	}
	return 0, false
}

func (t *tx) write(key int32, value int64) { t.Ops = append(t.Ops, Op{key, true, value}) }

// read reads a key by the rules of the level; false when the store must abort.
func (s *store) read(t *tx, key int32) bool {
	if v, ok := t.own(key); ok {
		t.Ops = append(t.Ops, Op{key, false, v})
		return true
	}
	var v version
	ok := true
	switch s.level {
	case isolation.RC:
		v, ok = s.committed(t, key, false)
	case isolation.RA:
		v, ok = s.committed(t, key, true)
	case isolation.CC:
		v, ok = s.visible(t, key)
	default:
		v, ok = s.asOf(key, t.Start)
	}
	if ok {
		t.sees(key, v)
	}
	return ok
}

// sees records an external read.
func (t *tx) sees(key int32, v version) {
	t.Ops = append(t.Ops, Op{key, false, v.value})
	t.reads = append(t.reads, seen{key, v})
}

// asOf returns the last version up to a time; false when it has been forgotten.
func (s *store) asOf(key int32, time int64) (version, bool) {
	vs := s.versions[key]
	for i := len(vs) - 1; i >= 0; i-- {
		if vs[i].at <= time {
			return vs[i], true
		}
	}
	return version{}, !s.cut[key]
}

// latest returns the last version.
func (s *store) latest(key int32) version {
	if vs := s.versions[key]; len(vs) > 0 {
		return vs[len(vs)-1]
	}
	return version{}
}

// commits reports whether the level lets the transaction commit: for SI nobody has
// written what it writes since its snapshot, for SER neither what it reads.
func (s *store) commits(t *tx) bool {
	if s.level == isolation.SER {
		for _, r := range t.reads {
			if s.latest(r.key).at != r.at {
				return false
			}
		}
		return true
	}
	if s.level == isolation.SI {
		for _, o := range t.Ops {
			if o.Write && s.latest(o.Key).at > t.Start {
				return false
			}
		}
	}
	return true
}

// install commits the transaction's last writes.
func (s *store) install(t *tx) {
	t.Commit = s.tick()
	s.last[t.Session] = t.Commit
	c := &commit{at: t.Commit, origin: t.Session}
	for i := len(t.Ops) - 1; i >= 0; i-- {
		if o := t.Ops[i]; o.Write && !c.writes(o.Key) {
			c.keys = append(c.keys, o.Key)
		}
	}
	if s.replicas != nil {
		s.log(t, c)
	}
	for _, k := range c.keys {
		v, _ := t.own(k)
		s.add(k, version{t.Commit, v, c})
	}
}

// add adds a version and forgets old ones.
func (s *store) add(key int32, v version) {
	if s.order != nil {
		s.order[key] = append(s.order[key], v.value)
	}
	vs := append(s.versions[key], v)
	if len(vs) >= 2*kept {
		s.cut[key] = true
		clear(vs[copy(vs, vs[len(vs)-kept:]):])
		vs = vs[:kept]
	}
	s.versions[key] = vs
}

// pull brings all replicas up to date.
func (s *store) pull() {
	for r := range s.replicas {
		for q := range s.replicas {
			s.merge(r, q)
		}
	}
}
