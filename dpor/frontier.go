package dpor

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/txmc/txmc/dpor/serial"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/dpor/work"
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
	Counts  work.Counts   `json:"counts"`
	Elapsed time.Duration `json:"elapsed"`    // so far, in ns
	Peak    uint64        `json:"peak_bytes"` // so far
	// Untouched: nothing was explored yet, so that everything is left. The engine is
	// auto when it was still being decided on.
	Untouched bool           `json:"untouched,omitempty"`
	Subtrees  []work.Subtree `json:"subtrees"` // the last is the next
	Passes    *serial.Passes `json:"passes,omitempty"`
	Memory    *states.Memory `json:"memory,omitempty"`
	Symmetry  *Alike         `json:"symmetry,omitempty"`
	// Partial is true of a part that the engine States was stopped in. Nobody can go on
	// with it: it is explored again, or its counts are those of what was met.
	Partial bool `json:"partial,omitempty"`
}

// describe makes a frontier of what is left, all workers being at rest.
func (x *Exploration) describe() *Frontier {
	stats := x.Stats()
	f := &Frontier{
		Shape: x.prog.Shape(), Level: x.opts.Level.String(), Base: x.opts.Base.String(), Engine: stats.Engine, Why: stats.Why,
		DFS: x.opts.DFS, All: x.opts.All, List: x.opts.List, Elapsed: stats.Elapsed, Peak: stats.PeakBytes,
	}
	totals, subtrees := x.pool.Rest()
	f.Counts, f.Subtrees = totals.Counts, subtrees
	if x.passes != nil {
		f.Passes = x.passes.Describe(x.prog)
	}
	switch {
	case stats.Engine == States && x.opts.Part != nil:
		f.Partial = len(f.Subtrees) > 0
		f.Subtrees = x.regions
	case stats.Engine == States:
		f.Memory = x.states.Describe()
	}
	alike, whole := x.symmetric.describe(totals)
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
	f.Untouched, f.Engine, f.Why, f.Subtrees, f.Passes, f.Counts, f.Symmetry = true, engine, "", []work.Subtree{}, nil, work.Counts{}, f.Symmetry.again()
	f.Partial = false
}

// Decode reads a frontier that was encoded as JSON.
func (f *Frontier) Decode(data []byte) error {
	if err := json.Unmarshal(data, f); err != nil {
		return fmt.Errorf("not the state of an exploration: %w", err)
	}
	return nil
}
