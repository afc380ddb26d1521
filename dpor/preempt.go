package dpor

import "github.com/txmc/txmc/isolation/postgres"

// Nearly serial runs of the engine States: Options.Near bounds how often a session
// goes on although the one that has made the last step could go on with its open
// transaction (Musuvathi and Qadeer's preemptions). With none the runs are the serial
// orders of the transactions: no one waits.

// switched is how a moment was reached.
type switched struct {
	last       int // the session of the last step, or -1
	deviations int // on the way
}

// deviates reports whether a choice at m is a preemption.
func (m *moment) deviates(c postgres.Choice) bool {
	return c.Kind == postgres.RunSession && m.last >= 0 && int(c.N) != m.last && m.rows.Open(m.last) && !m.rows.Blocked(m.last)
}

// admits counts a choice's deviation in the moment that it leads to, and reports
// whether there are not too many.
func (e *states) admits(m *moment, c postgres.Choice, to *moment) bool {
	if e.near.bounded && m.deviates(c) {
		to.deviations++
	}
	return to.deviations <= e.near.most
}

// addSwitched makes moments differ that were reached by different sessions.
func (e *states) addSwitched(m *moment) {
	if e.near.bounded {
		e.keyer.Add(uint64(m.last+1)<<32 | uint64(m.deviations))
	}
}
