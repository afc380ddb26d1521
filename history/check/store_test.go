package check_test

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/isolation"
)

// A multi-version store with optimistic concurrency control records its transactions.
// Those of all sessions interleave, and read from the snapshot of their begin. A
// transaction aborts when somebody else has written since what it writes, or, for SER,
// what it reads.
type store struct {
	sessions, txns, ops, keys int // transactions a session, operations a transaction
	reads                     float64
	level                     isolation.Level
}

type storeTxn struct {
	session       int
	begin, commit int64
	ops           []storeOp
}

// storeOp is a write of the value that is the transaction's commit, or a read.
type storeOp struct {
	key   int32
	value int64
	write bool
}

type openTxn struct {
	begin  int64
	ops    []storeOp
	writes []int32
}

// run returns the transactions in the order of their commits.
func (s store) run(seed uint64) []storeTxn {
	r := rand.New(rand.NewPCG(seed, 1))
	versions := make([][]int64, s.keys)
	current := make([]openTxn, s.sessions)
	done := make([]int, s.sessions)
	running := make([]int, s.sessions)
	for i := range running {
		running[i] = i
	}
	var txns []storeTxn
	newest := func(x int32, at int64) int64 {
		vs := versions[x]
		for i := len(vs) - 1; i >= 0; i-- {
			if vs[i] <= at {
				return vs[i]
			}
		}
		return 0
	}
	for clock := int64(0); len(running) > 0; {
		k := r.IntN(len(running))
		o := &current[running[k]]
		if len(o.ops) == 0 {
			o.begin, o.writes = clock, o.writes[:0]
		}
		if len(o.ops) < s.ops {
			x := int32(r.IntN(s.keys))
			op := storeOp{key: x, write: r.Float64() >= s.reads}
			if op.write && !slices.Contains(o.writes, x) {
				o.writes = append(o.writes, x)
			} else if !op.write {
				if op.value = newest(x, o.begin); slices.Contains(o.writes, x) {
					op.value = -1 // its own
				}
			}
			o.ops = append(o.ops, op)
			continue
		}
		ok := true
		for _, op := range o.ops {
			if (op.write || s.level == isolation.SER) && newest(op.key, clock) > o.begin {
				ok = false
			}
		}
		if ok {
			clock++
			for _, x := range o.writes {
				versions[x] = append(versions[x], clock)
			}
			for i := range o.ops {
				if o.ops[i].write || o.ops[i].value < 0 {
					o.ops[i].value = clock
				}
			}
			txns = append(txns, storeTxn{running[k], o.begin*2 + 1, clock * 2, slices.Clone(o.ops)})
			if done[running[k]]++; done[running[k]] == s.txns {
				running[k] = running[len(running)-1]
				running = running[:len(running)-1]
			}
		}
		o.ops = o.ops[:0]
	}
	return txns
}

// record records the transactions.
func (s store) record(txns []storeTxn) *check.Recording {
	r := check.NewRecording()
	for x := range s.keys {
		r.Key("k" + strconv.Itoa(x))
	}
	for _, t := range txns {
		s.add(r, t)
	}
	return r
}

func (s store) add(r *check.Recording, t storeTxn) {
	r.Begin(t.session, history.Committed)
	for _, o := range t.ops {
		v := check.Version{Key: check.Key(o.key), Value: o.value, Initial: o.value == 0}
		if o.write {
			r.Write(v)
		} else {
			r.Read(v)
		}
	}
}

// versions tells the order of all versions of each key.
func (s store) versions(r *check.Recording, txns []storeTxn) {
	orders := make([][]int64, s.keys)
	for _, t := range txns {
		for _, o := range t.ops {
			if vs := orders[o.key]; o.write && (len(vs) == 0 || vs[len(vs)-1] != o.value) {
				orders[o.key] = append(orders[o.key], o.value)
			}
		}
	}
	for x, vs := range orders {
		r.Versions(check.Key(x), vs)
	}
}
