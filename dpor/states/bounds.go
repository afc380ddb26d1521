package states

import (
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/behaviour"
)

// Few runs of the engine States. Options.Near bounds how often a session goes on
// although the one that has made the last step could go on with its open transaction
// (Musuvathi and Qadeer's preemptions). With none the runs are the serial orders of the
// transactions: no one waits. With Options.Whole it is a deviation too when the session
// could begin another transaction, so that they are the orders of the sessions.
// Options.Switches bounds how often another session goes on at all.

// arrival is how a state was reached.
type arrival struct {
	last       int // the session of the last step, or -1
	deviations int // before it
	switches   int // before it
}

// interruptible reports whether another session would interrupt the last one at m.
func (e *Engine) interruptible(m *state) bool {
	if e.Whole && m.nodes[m.last].Kind != behaviour.End {
		return !m.blocked(m.last)
	}
	return m.open(m.last) && !m.blocked(m.last)
}

// admits counts the deviation and the switch of a choice in the state that it leads
// to, and reports whether there are not too many.
func (e *Engine) admits(m *state, c model.Choice, to *state) bool {
	if c.Kind != model.RunSession || m.last < 0 || int(c.N) == m.last {
		return true
	}
	to.switches++
	if e.interruptible(m) {
		to.deviations++
	}
	admitted := (!e.Bounded || to.deviations <= e.Most) && (e.Switches == 0 || to.switches <= e.Switches)
	e.leftOut = e.leftOut || !admitted
	return admitted
}

// addSwitched makes states differ that were reached by different sessions: last is the
// number of the last one.
func (e *Engine) addSwitched(m *state, last int) {
	if e.Bounded {
		e.ids = append(e.ids, uint64(last+1)<<32|uint64(m.deviations))
	}
	if e.Switches > 0 {
		e.ids = append(e.ids, uint64(last+1)<<32|uint64(m.switches))
	}
}
