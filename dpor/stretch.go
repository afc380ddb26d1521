package dpor

import (
	"math"
	"slices"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
)

// stretch is a task of the engine States: to visit a moment, or to take the choices
// that a visited one has left. A moment is named by the way to it.
type stretch struct {
	kind string // wholeCall or restOther
	way  []model.Choice
	m    *moment
}

func (s *stretch) depth() int { return len(s.way) }

func (s *stretch) describe() Subtree {
	return Subtree{Kind: s.kind, Steps: EncodeSchedule(s.way), Next: s.m.next}
}

// split takes the choices that the oldest moment has left.
func (e *states) split() task {
	for e.oldest < e.depth && !e.moments[e.oldest].left() {
		e.oldest++
	}
	if e.oldest >= e.depth {
		return nil
	}
	m := e.moments[e.oldest]
	own := m.own()
	own.next = m.next
	s := &stretch{kind: restOther, way: e.wayTo(e.oldest), m: own}
	m.choices = m.choices[:m.next] // the last of them is on the present way
	return s
}

func (e *states) remaining() []Subtree {
	var list []Subtree
	for i, m := range e.moments[:e.depth] {
		if m.left() {
			list = append(list, Subtree{Kind: restOther, Steps: EncodeSchedule(e.wayTo(i)), Next: m.next})
		}
	}
	return append(list, Subtree{Kind: wholeCall, Steps: EncodeSchedule(e.wayTo(e.depth))})
}

// restore follows the way to a moment.
func (e *states) restore(sub *Subtree) (task, error) {
	if sub.Kind != wholeCall && sub.Kind != restOther || len(sub.Txns) > 0 || sub.Open {
		return nil, misfitRest(sub)
	}
	at, err := e.follow(sub.Steps)
	if err != nil {
		return nil, err
	}
	s := &stretch{kind: sub.Kind, way: slices.Clone(e.trail.way), m: at.own()}
	if s.m.next = sub.Next; sub.Next < 0 || sub.Next > 0 && sub.Next >= len(s.m.choices) {
		return nil, misfitRest(sub)
	}
	return s, nil
}

// trail is the way that was restored last, with its moments: ways that are restored one
// after another have long beginnings in common.
type trail struct {
	way     []model.Choice
	moments []*moment // one more than way
}

// follow goes along a way, from where the trail leaves it.
func (e *states) follow(steps []int) (*moment, error) {
	t := &e.trail
	if len(t.moments) == 0 {
		m, err := e.first()
		if err != nil {
			return nil, err
		}
		e.enable(m)
		t.moments = append(t.moments, m)
	}
	common := 0
	for common < len(t.way) && common < len(steps) && t.way[common] == decodeChoice(steps[common]) {
		common++
	}
	for t.way = t.way[:common]; len(t.way) < len(steps); {
		at := len(t.way)
		m, c := t.moments[at], decodeChoice(steps[at])
		if !m.has(c) {
			return nil, misfit("a step that no session can make")
		}
		if len(t.moments) == at+1 {
			t.moments = append(t.moments, &moment{rows: m.rows.Empty()})
		}
		n := t.moments[at+1]
		n.copyFrom(m)
		if err := e.step(n, c); err != nil {
			return nil, err
		}
		t.way = append(t.way, c)
	}
	return t.moments[len(steps)], nil
}

// own is a copy of the moment, with all its choices.
func (m *moment) own() *moment {
	own := &moment{rows: m.rows.Empty()}
	own.copyFrom(m)
	own.choices = append(own.choices, m.choices...)
	return own
}

// left reports whether the moment has choices that were not taken.
func (m *moment) left() bool { return m.next < len(m.choices) }

// taken is the choice that comes next on the present way.
func (m *moment) taken() model.Choice { return m.choices[m.next-1] }

func (m *moment) has(c model.Choice) bool {
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
func EncodeSchedule(way []model.Choice) []int {
	list := make([]int, len(way))
	for i, c := range way {
		list[i] = int(c.N)<<kindBits | int(c.Kind)
	}
	return list
}

// DecodeSchedule is the inverse of EncodeSchedule. A number that stands for no choice
// becomes one that is never open.
func DecodeSchedule(list []int) []model.Choice {
	way := make([]model.Choice, len(list))
	for i, n := range list {
		way[i] = decodeChoice(n)
	}
	return way
}

func decodeChoice(n int) model.Choice {
	if n < 0 || n>>kindBits > math.MaxInt8 {
		return model.Choice{Kind: model.FailVictim, N: -1} // nobody has it
	}
	return model.Choice{Kind: model.ChoiceKind(n & (1<<kindBits - 1)), N: int8(n >> kindBits)}
}

// describe makes data of what the workers know, which are all at rest.
func (k *memory) describe(prog *program.Client) *Memory {
	m := &Memory{Recordings: prog.Recordings(), Answers: prog.Answers(), Seen: k.seen.text(), Outcomes: k.outcomes.text()}
	for x := range prog.Variables() {
		m.Variables = append(m.Variables, prog.RawKey(program.VarID(x)))
	}
	return m
}

// know adds the keys that another process has met; none if there is nothing.
func (k *memory) know(m *Memory) error {
	if m == nil {
		return nil
	}
	if err := k.seen.read(m.Seen); err != nil {
		return err
	}
	return k.outcomes.read(m.Outcomes)
}

// read is the inverse of describe. The sessions are run in the same order again.
func (k *memory) read(prog *program.Client, m *Memory) error {
	if err := m.Record(prog); err != nil {
		return err
	}
	return k.know(m)
}

// Record runs the sessions in the order in which they were run. An error of this
// package says that their numbers are not the same; others are the program's.
func (m *Memory) Record(prog *program.Client) error {
	same, err := prog.Record(m.Recordings, m.Answers)
	if err != nil {
		return err
	}
	for x, key := range m.Variables {
		same = same && x < prog.Variables() && prog.RawKey(program.VarID(x)) == key
	}
	if !same {
		return misfit("its sessions do something else now, or have run before the exploration was resumed")
	}
	return nil
}
