package program

import (
	"time"

	"github.com/txmc/txmc/program/repeat"
)

// apart is how much later than the one before it each session begins, in the order of
// their declarations. What an earlier session stores as its present is past for a later
// one, however often the two have looked at the clock. Finals begin after the last. It
// is short against the timeouts that client code sets before its sessions.
const apart = 10 * time.Millisecond

// starts is when the run's code begins, after the Explore function has.
func (r *run) starts() time.Duration { return time.Duration(max(0, r.session+1)) * apart }

// begins gives a session its time and its random numbers. They are the same whatever has
// run before in this call of the Explore function.
func (r *run) begins() {
	r.repeats.Again(uint64(r.session+1), r.declared)
	r.repeats.Pass(r.starts())
}

// clock is the time of the run's database, since the beginning of all runs: never
// before what client code has read off its own clock, unless it has looked at that
// thousands of times.
func (r *run) clock() time.Duration {
	passed := r.starts()
	if repeat.On() {
		passed = r.repeats.Passed()
	}
	return passed + apart/2
}

// Clock returns the time that has gone by for the session, since the time at which the
// clocks of all databases begin. It counts from the begin of the session. Sessions
// begin one after another in the order of their declarations. The clock goes on as the
// session sleeps.
func (b *Backend) Clock() time.Duration { return b.run.clock() }
