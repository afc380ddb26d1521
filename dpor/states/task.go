package states

import (
	"math"
	"slices"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation/model"
)

// task is a task of the engine States: to visit a state, or to take the choices
// that a visited one has left. A state is named by the schedule that leads to it.
type task struct {
	kind     string // wholeCall or restOther
	schedule []model.Choice
	m        *state
}

func (s *task) Depth() int { return len(s.schedule) }

func (s *task) Describe() work.Subtree {
	return work.Subtree{Kind: s.kind, Steps: EncodeSchedule(s.schedule), Next: s.m.next}
}

// Split takes the choices that the oldest state has left.
func (e *Engine) Split() work.Task {
	for e.oldest < e.depth && !e.states[e.oldest].left() {
		e.oldest++
	}
	if e.oldest >= e.depth {
		return nil
	}
	m := e.states[e.oldest]
	own := m.own()
	own.next = m.next
	s := &task{kind: work.RestOther, schedule: e.scheduleTo(e.oldest), m: own}
	m.choices = m.choices[:m.next] // the last of them is in the present schedule
	return s
}

// Remaining describes the choices that are left, of a worker at rest.
func (e *Engine) Remaining() []work.Subtree {
	var list []work.Subtree
	for i, m := range e.states[:e.depth] {
		if m.left() {
			list = append(list, work.Subtree{Kind: work.RestOther, Steps: EncodeSchedule(e.scheduleTo(i)), Next: m.next})
		}
	}
	return append(list, work.Subtree{Kind: work.WholeCall, Steps: EncodeSchedule(e.scheduleTo(e.depth))})
}

// Restore follows the schedule that leads to a state.
func (e *Engine) Restore(sub *work.Subtree) (work.Task, error) {
	if sub.Kind != work.WholeCall && sub.Kind != work.RestOther || len(sub.Txns) > 0 || sub.Open {
		return nil, work.MisfitRest(sub)
	}
	at, err := e.follow(sub.Steps)
	if err != nil {
		return nil, err
	}
	s := &task{kind: sub.Kind, schedule: slices.Clone(e.restored.schedule), m: at.own()}
	if s.m.next = sub.Next; sub.Next < 0 || sub.Next > 0 && sub.Next >= len(s.m.choices) {
		return nil, work.MisfitRest(sub)
	}
	return s, nil
}

// restored is the schedule that was restored last, with its states: schedules that are restored one
// after another have long beginnings in common.
type restored struct {
	schedule []model.Choice
	states   []*state // one more than in schedule
}

// follow takes the choices of a schedule, from where it leaves the one that was restored last.
func (e *Engine) follow(steps []int) (*state, error) {
	t := &e.restored
	if len(t.states) == 0 {
		m, err := e.first()
		if err != nil {
			return nil, err
		}
		e.enable(m)
		t.states = append(t.states, m)
	}
	common := 0
	for common < len(t.schedule) && common < len(steps) && t.schedule[common] == decodeChoice(steps[common]) {
		common++
	}
	for t.schedule = t.schedule[:common]; len(t.schedule) < len(steps); {
		at := len(t.schedule)
		m, c := t.states[at], decodeChoice(steps[at])
		if !m.has(c) {
			return nil, work.Misfit("a step that no session can make")
		}
		if len(t.states) == at+1 {
			t.states = append(t.states, &state{rows: m.rows.Empty()})
		}
		n := t.states[at+1]
		n.copyFrom(m)
		if err := e.step(n, c); err != nil {
			return nil, err
		}
		t.schedule = append(t.schedule, c)
	}
	return t.states[len(steps)], nil
}

// own is a copy of the state, with all its choices.
func (m *state) own() *state {
	own := &state{rows: m.rows.Empty()}
	own.copyFrom(m)
	own.choices = append(own.choices, m.choices...)
	return own
}

// left reports whether the state has choices that were not taken.
func (m *state) left() bool { return m.next < len(m.choices) }

// taken is the choice that comes next in the present schedule.
func (m *state) taken() model.Choice { return m.choices[m.next-1] }

func (m *state) has(c model.Choice) bool {
	for _, d := range m.choices {
		if c == d {
			return true
		}
	}
	return false
}

// kindBits are the bits of a number that have the kind of a choice.
const kindBits = 3

// EncodeSchedule makes a number of each choice.
func EncodeSchedule(schedule []model.Choice) []int {
	list := make([]int, len(schedule))
	for i, c := range schedule {
		list[i] = int(c.N)<<kindBits | int(c.Kind)
	}
	return list
}

// DecodeSchedule is the inverse of EncodeSchedule. A number that stands for no choice
// becomes one that is never open.
func DecodeSchedule(list []int) []model.Choice {
	schedule := make([]model.Choice, len(list))
	for i, n := range list {
		schedule[i] = decodeChoice(n)
	}
	return schedule
}

func decodeChoice(n int) model.Choice {
	if n < 0 || n>>kindBits > math.MaxInt8 {
		return model.Choice{Kind: model.FailVictim, N: -1} // nobody has it
	}
	return model.Choice{Kind: model.ChoiceKind(n & (1<<kindBits - 1)), N: int8(n >> kindBits)}
}
