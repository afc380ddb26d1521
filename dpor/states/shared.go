package states

import (
	"context"
	"iter"

	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Rules are how a database runs a program.
type Rules struct {
	Level    isolation.Level // of transactions that ask for none
	OneLevel bool            // transactions that ask for another level have that one as well
	Races    bool            // what only timing decides is a choice too
	Steps    Steps
}

// Exploration is what the engines of all workers have in common.
type Exploration struct {
	Ctx      context.Context
	Prog     *program.Client
	Rules    Rules
	Extent   Extent
	Symmetry *orbit.Symmetry // nil without
	Pinned   bool            // a session keeps its place: the exploration is a part of a larger one
	Delivery *work.Delivery
	Looks    *model.Looks // what statements look at: it grows; nil: all counts
	// ExploreSerial finds the outcomes of the serial orders of transactions, or of whole sessions.
	ExploreSerial func(prog *program.Client, whole bool) iter.Seq2[*work.Found, error]
	memory        *memory
	serialOrders  *serialOrders
	engines       []*Engine
}

// Prepare is to be called before engines are made.
func (c *Exploration) Prepare() *Exploration {
	c.memory, c.serialOrders = &memory{}, newSerialOrders(c)
	c.Looks.Begin()
	return c
}

// Engine makes a worker's engine. Random executions are of the first one.
func (c *Exploration) Engine(w *work.Worker) *Engine {
	e := &Engine{Worker: w, delivery: c.Delivery, memory: c.memory, Extent: c.Extent, serialOrders: c.serialOrders,
		keys: keys{alike: newAlike(c.Symmetry, c.Prog, c.Pinned)},
		database: database{copies: c.Symmetry.Copies(), prog: c.Prog, level: c.Rules.Level, alone: c.Rules.OneLevel, races: c.Rules.Races,
			final: c.Prog.Final(), grain: c.Rules.Steps, looks: c.Looks}}
	if len(c.engines) > 0 {
		e.Probe = work.Probe{}
	}
	c.engines = append(c.engines, e)
	return e
}

// Describe makes data of what the workers know, which are all at rest.
func (c *Exploration) Describe() *Memory {
	m := c.memory.describe(c.Prog)
	m.Looks = c.Looks.Data()
	return m
}

// Read is the inverse of describe. The sessions are run in the same order again.
func (c *Exploration) Read(m *Memory) error {
	c.Looks.Read(m.Looks)
	return c.memory.read(c.Prog, m)
}

// images are the nodes that stand for a node where sessions are exchanged.
func (c *Exploration) images(n *behaviour.Node) []*behaviour.Node {
	if copies := c.Symmetry.Copies(); copies != nil {
		return copies.All(n)
	}
	return []*behaviour.Node{n}
}
