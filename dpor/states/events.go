package states

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// EventKind is the kind of an [Event].
type EventKind uint8

const (
	// Ran: the session ran an operation, which got an answer.
	Ran EventKind = iota
	// Waits: its operation waits.
	Waits
	// GoesOn: its operation, which waited, got an answer.
	GoesOn
	// Pauses: others may run before its operation goes on.
	Pauses
)

// Event is something that happened on a database, in the order in which it did.
type Event struct {
	Kind    EventKind
	Step    int // the step in which it happened, from 0
	Session int
	Node    *behaviour.Node   // the operation
	Answer  behaviour.ValueID // of Ran and GoesOn; Done where the operation has none
	On      uint64            // of Waits: the sessions that are waited for, a bit for each
}

// Events runs a schedule again, as Found has it and in its steps, and lists what happens.
func Events(prog *program.Client, level isolation.Level, steps Steps, s []model.Choice) ([]Event, error) {
	var list []Event
	step := 0
	d := database{prog: prog, level: level, races: true, final: prog.Final(), grain: steps}
	d.note = func(e Event) {
		e.Step = step
		list = append(list, e)
	}
	m, err := d.first()
	for i := 0; err == nil && i < len(s); i++ {
		step = i
		err = d.step(m, s[i])
	}
	return list, err
}

func (d *database) emit(e Event) {
	if d.note != nil {
		d.note(e)
	}
}
