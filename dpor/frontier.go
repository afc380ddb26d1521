package dpor

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// Frontier is an exploration that is under way, as data: what it has counted, and the
// subtrees of explore that are left. Subtrees are independent, so that another process
// can go on with them and ends with the same counts. A point of the search is named by
// its history alone: the transactions in <, and for each read the position of its
// writer. Client code is deterministic. So the history says which values were read and
// what the sessions did. It has no number of a variable or value of this process.
//
// It is encoded by encoding/json. Whatever is decoded can be resumed without
// harm: what does not fit the program is an error.
type Frontier struct {
	Shape   string        `json:"shape"` // what the program declares: program.Client.Shape
	Level   string        `json:"level"`
	Base    string        `json:"base"`
	Engine  Engine        `json:"engine"`
	DFS     bool          `json:"dfs,omitempty"` // the baseline without reduction
	Why     string        `json:"why,omitempty"`
	All     bool          `json:"all,omitempty"`
	List    bool          `json:"list,omitempty"`
	Counts  Counts        `json:"counts"`
	Elapsed time.Duration `json:"elapsed"`    // so far, in ns
	Peak    uint64        `json:"peak_bytes"` // so far
	// Untouched: nothing was explored yet, so that everything is left. The engine is
	// auto when it was still being decided on.
	Untouched bool      `json:"untouched,omitempty"`
	Subtrees  []Subtree `json:"subtrees"` // the last is the next
	Passes    *Passes   `json:"passes,omitempty"`
	Memory    *Memory   `json:"memory,omitempty"`
	Symmetry  *Alike    `json:"symmetry,omitempty"`
	// Partial is true of a part that the engine States was stopped in. Nobody can go on
	// with it: it is explored again, or its counts are those of what was met.
	Partial bool `json:"partial,omitempty"`
}

// Memory is what the engine States knows of the moments that it has met. Their keys
// are made of the numbers of nodes, variables and values. These numbers follow from the
// order in which the sessions were run: another process runs them in the same order.
type Memory struct {
	Recordings []program.Recording `json:"recordings"`
	Answers    []program.Answered  `json:"answers,omitempty"`
	Variables  []string            `json:"variables"` // keys, by number
	Seen       string              `json:"seen"`      // keys, as visited.text
	Outcomes   string              `json:"outcomes"`
}

// Counts are how much an exploration has found, and how much it has done for it.
type Counts struct {
	Histories  int64 `json:"histories"`  // complete histories that the level allows; under a database's model: outcomes
	EndStates  int64 `json:"end_states"` // complete histories before the filter; Serial needs none
	Explored   int64 `json:"explored"`   // calls of explore; of Serial: of the function serial; of States: states visited
	Blocked    int64 `json:"blocked"`    // calls of explore that led to no complete history
	Violations int64 `json:"violations"` // histories that break an assertion
}

// Subtree is a call of explore, or the rest of one.
type Subtree struct {
	Kind  string  `json:"kind"`            // call, read (writers left to try) or rest (swaps to look at, or sessions to decide on)
	Txns  [][]int `json:"txns,omitempty"`  // in <: the session, then the positions from which its reads are
	Open  bool    `json:"open,omitempty"`  // the last transaction is pending
	Next  int     `json:"next,omitempty"`  // where the rest of a call begins
	Skips []int32 `json:"skips,omitempty"` // of the serial engine: skip.go
	Taken []int32 `json:"taken,omitempty"` // with symmetry: the decisions before, four numbers each
	Steps []int   `json:"steps,omitempty"` // of the engine States, instead of Txns: stretch.go
	// For a region: what it consists of, and which cuts are worth trying, by session: how
	// many answers its states have in common, and how many cuts were in vain. See region.go.
	Inner []Subtree `json:"inner,omitempty"`
	Cuts  []int32   `json:"cuts,omitempty"`
	Vain  []int32   `json:"vain,omitempty"`
}

const (
	wholeCall = "call"
	restReads = "read"
	restOther = "rest"
)

// Passes is where the serial engine stands with its passes: pass.go. Accesses are
// keys by session and position.
type Passes struct {
	Known  [][]Access `json:"known"`
	Before [][]Access `json:"before,omitempty"`
	First  bool       `json:"first,omitempty"` // there was no pass before
	Noted  [][]Access `json:"noted,omitempty"`
	News   bool       `json:"news,omitempty"`
}

// Access are the keys that a transaction may read from others, and write.
type Access struct {
	Reads  []string `json:"r,omitempty"`
	Writes []string `json:"w,omitempty"`
}

func (c *Counts) add(d counts) {
	c.Histories += d.histories
	c.EndStates += d.endStates
	c.Explored += d.explored
	c.Blocked += d.blocked
	c.Violations += d.violations
}

func (c *Counts) subtract(d counts) {
	c.add(counts{-d.histories, -d.endStates, -d.explored, -d.blocked, -d.violations, 0, 0})
}

func (c Counts) negative() bool {
	return min(c.Histories, c.EndStates, c.Explored, c.Blocked, c.Violations) < 0
}

func (c Counts) split() counts {
	return counts{c.Histories, c.EndStates, c.Explored, c.Blocked, c.Violations, 0, 0}
}

// describe makes a subtree of itself.
func (sub *Subtree) describe() Subtree { return *sub }

func (sub *Subtree) depth() int { return len(sub.Txns) + len(sub.Steps) }

// describe makes data of the first txns transactions and the first reads reads of
// h, the last transaction pending at node unless that is nil.
func describe(h *semantics.Ordered, txns, reads int, open bool) Subtree {
	s := Subtree{Open: open}
	for t := 1; t < txns; t++ {
		from, to := h.ReadsOf(t)
		row := make([]int, 1, 1+to-from)
		row[0] = int(h.Txns[t].Session)
		for _, r := range h.Reads[from:min(to, max(reads, from))] {
			row = append(row, int(r.From))
		}
		s.Txns = append(s.Txns, row)
	}
	return s
}

// describe makes a frontier of what is left, all workers being at rest.
func (x *Exploration) describe() *Frontier {
	stats := x.Stats()
	f := &Frontier{
		Shape: x.prog.Shape(), Level: x.opts.Level.String(), Base: x.opts.Base.String(), Engine: stats.Engine, Why: stats.Why,
		DFS: x.opts.DFS, All: x.opts.All, List: x.opts.List, Elapsed: stats.Elapsed, Peak: stats.PeakBytes,
	}
	x.share.mu.Lock()
	defer x.share.mu.Unlock()
	for _, w := range x.workers {
		f.Counts.add(w.count)
		f.Counts.subtract(w.again)
	}
	for _, t := range x.share.tasks {
		f.Subtrees = append(f.Subtrees, t.describe())
	}
	// Those of the first worker come last and are the next: with one worker the
	// order in which histories are found stays the same.
	for i := len(x.workers) - 1; i >= 0; i-- {
		f.Subtrees = append(f.Subtrees, x.workers[i].left...)
	}
	if x.passes != nil {
		f.Passes = x.passes.describe(x.prog)
	}
	switch {
	case stats.Engine == States && x.opts.Part != nil:
		f.Partial = len(f.Subtrees) > 0
		f.Subtrees = x.regions
	case stats.Engine == States:
		f.Memory = x.memory.describe(x.prog)
	}
	alike, whole := x.symmetric.describe(x.workers)
	if f.Symmetry = alike; !whole && x.opts.Part != nil {
		f.Symmetry = &Alike{Sets: alike.Sets, Apart: x.symmetric.unknown()}
	} else if !whole {
		f.forget(x.opts.Engine)
		f.Symmetry = alike.again()
	}
	return f
}

// forget makes a frontier say that nothing was explored.
func (f *Frontier) forget(engine Engine) {
	f.Untouched, f.Engine, f.Why, f.Subtrees, f.Passes, f.Counts, f.Symmetry = true, engine, "", []Subtree{}, nil, Counts{}, f.Symmetry.again()
	f.Partial = false
}

// Decode reads a frontier that was encoded as JSON.
func (f *Frontier) Decode(data []byte) error {
	if err := json.Unmarshal(data, f); err != nil {
		return fmt.Errorf("not the state of an exploration: %w", err)
	}
	return nil
}

// keys turns accesses into keys.
func (a *accesses) keys(c *program.Client) [][]Access {
	if a == nil {
		return nil
	}
	list := func(v varSet) (keys []string) {
		for x := range program.VarID(len(v) * 64) {
			if v.has(x) {
				keys = append(keys, c.RawKey(x))
			}
		}
		return keys
	}
	out := make([][]Access, len(a.sessions))
	for s := range a.sessions {
		for _, t := range a.sessions[s] {
			out[s] = append(out[s], Access{list(t.reads), list(t.writes)})
		}
	}
	return out
}

// fromKeys is the inverse of keys.
func fromKeys(c *program.Client, rows [][]Access) *accesses {
	a := &accesses{}
	for s, row := range rows {
		for i, t := range row {
			at := a.at(s, i)
			for _, k := range t.Reads {
				at.reads.add(c.Variable(k))
			}
			for _, k := range t.Writes {
				at.writes.add(c.Variable(k))
			}
		}
	}
	return a
}
