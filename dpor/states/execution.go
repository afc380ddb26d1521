package states

import (
	"slices"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/behaviour"
)

// Execution is one execution of a program, step by step.
type Execution struct {
	e        *Engine
	m        *state
	schedule []model.Choice // taken so far
}

// Begin is the execution that has taken no choice. Note, unless nil, gets what happens.
func (c *Exploration) Begin(note func(Event)) (*Execution, error) {
	e := c.Engine(nil)
	e.note = note
	m, err := e.first()
	if err != nil {
		return nil, err
	}
	e.enable(m)
	return &Execution{e: e, m: m}, nil
}

// Choices are what may come next; there are none at the end.
func (x *Execution) Choices() []model.Choice { return x.m.choices }

// Take takes a choice.
func (x *Execution) Take(c model.Choice) error {
	x.schedule = append(x.schedule, c)
	return x.e.step(x.m, c)
}

// Clone is an execution that has taken the same choices.
func (x *Execution) Clone() *Execution {
	return &Execution{e: x.e, m: x.m.own(), schedule: slices.Clone(x.schedule)}
}

// Nodes are where the sessions stand.
func (x *Execution) Nodes() []*behaviour.Node { return x.m.nodes }

// Database is the state of the database.
func (x *Execution) Database() model.Database { return x.m.rows }

// End is the execution, which has ended, as data.
func (x *Execution) End() (*work.Found, error) {
	failures, err := x.e.judge(x.m)
	if err != nil {
		return nil, err
	}
	x.e.schedule, x.e.states = x.schedule, []*state{x.m}
	return x.e.found(0, failures), nil
}

// Followed is how far a program has followed a schedule under a database's model.
type Followed struct {
	Events []Event
	Made   int         // choices that it has made
	Found  *work.Found // when it has made all of them and has ended
	// Stands are the nodes at which the sessions stand.
	Stands []*behaviour.Node
}

// Follow runs a schedule as far as the program makes its choices.
func (c *Exploration) Follow(schedule []model.Choice) (*Followed, error) {
	f := &Followed{}
	x, err := c.Begin(func(ev Event) {
		ev.Step = f.Made
		f.Events = append(f.Events, ev)
	})
	if err != nil {
		return nil, err
	}
	for ; f.Made < len(schedule) && slices.Contains(x.Choices(), schedule[f.Made]); f.Made++ {
		if err := x.Take(schedule[f.Made]); err != nil {
			return nil, err
		}
	}
	if f.Stands = x.Nodes(); f.Made < len(schedule) || len(x.Choices()) > 0 {
		return f, nil
	}
	f.Found, err = x.End()
	return f, err
}

// Prefer runs the program to its end. It takes the first of the preferred choices that is
// possible, each once; where none is possible, it takes the first choice. It returns nil when a
// session has assumed what does not hold.
func (c *Exploration) Prefer(preferred []model.Choice) (*work.Found, error) {
	x, err := c.Begin(nil)
	if err != nil {
		return nil, err
	}
	for left := slices.Clone(preferred); len(x.Choices()) > 0; {
		next := x.Choices()[0]
		if i := slices.IndexFunc(left, x.m.has); i >= 0 {
			next = left[i]
			left = slices.Delete(left, i, i+1)
		}
		if err := x.Take(next); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(x.Nodes(), func(n *behaviour.Node) bool { return n.Dropped }) {
		return nil, nil
	}
	return x.End()
}

// StatementEnds are the choices of a schedule but for those after which a session is inside a
// statement.
func (c *Exploration) StatementEnds(schedule []model.Choice) (ends []model.Choice, err error) {
	x, err := c.Begin(nil)
	if err != nil {
		return nil, err
	}
	for _, next := range schedule {
		if err := x.Take(next); err != nil {
			return nil, err
		}
		if next.Kind != model.RunSession || !x.m.inside(int(next.N)) {
			ends = append(ends, next)
		}
	}
	return ends, nil
}

// SameOutcome reports whether two executions have the same outcome, and break as many assertions.
func (c *Exploration) SameOutcome(f, g *work.Found) bool {
	return len(f.Failures) == len(g.Failures) && slices.Equal(f.Ends, g.Ends) && slices.Equal(f.Rows, g.Rows) &&
		leftText(c.Prog, f.Rows, f.Values) == leftText(c.Prog, g.Rows, g.Values)
}
