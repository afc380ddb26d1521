package states

import (
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// memory is what all workers know of the states that were met.
type memory struct{ seen, outcomes visited }

// Memory is what the engine States knows of the states that it has met. Their keys
// are made of the numbers of nodes, variables and values. These numbers follow from the
// order in which the sessions were run: another process runs them in the same order.
type Memory struct {
	Recordings []program.Recording  `json:"recordings"`
	Answers    []behaviour.Answered `json:"answers,omitempty"`
	Variables  []string             `json:"variables"` // keys, by number
	Seen       string               `json:"seen"`      // keys, as visited.text
	Outcomes   string               `json:"outcomes"`
	Looks      []uint64             `json:"looks,omitempty"` // as of model.Looks: what the keys are made of
}

// describe makes data of what the workers know, which are all at rest.
func (k *memory) describe(prog *program.Client) *Memory {
	m := &Memory{Recordings: prog.Recordings(), Answers: prog.Answers(), Seen: k.seen.text(), Outcomes: k.outcomes.text()}
	for x := range prog.Variables() {
		m.Variables = append(m.Variables, prog.RawKey(behaviour.VarID(x)))
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
		same = same && x < prog.Variables() && prog.RawKey(behaviour.VarID(x)) == key
	}
	if !same {
		return work.Misfit("its sessions do something else now, or have run before the exploration was resumed")
	}
	return nil
}
