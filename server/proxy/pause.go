package proxy

import (
	"math/rand/v2"
	"time"
)

// What runs on a throw-away server can be paused where it is: a statement between its
// snapshot and its locks, a function between two of its queries. Others run meanwhile, as
// when the server's machine has much to do. PostgreSQL has a process for each connection,
// which the operating system stops and continues.

// Pauser is a [Database] that can pause what a connection runs, and let it go on.
type Pauser interface {
	Pause(l Link) bool
	GoOn(l Link)
}

const (
	shortest = 200 * time.Microsecond // how long a statement is taken to run, at least
	longest  = 5 * time.Millisecond   // how long a statement is paused, at most
)

// pause returns what pauses by chance what a session is about to send, at a time at which it
// is likely to run, for as long as some statements of others take.
func (x *execution) pause(i int, r *rand.Rand) func() {
	s := &x.sessions[i]
	p, able := x.db.(Pauser)
	if s.paused = x.pausing && able && r.Float64() < x.chance; !s.paused {
		return func() {}
	}
	l := s.link
	before := time.Duration(r.Float64() * float64(max(x.usual[s.node.Sent.Messages], shortest)))
	length := time.Duration(r.Float64() * float64(longest))
	x.pauses.Add(1)
	return func() {
		go func() {
			defer x.pauses.Done()
			wait(before)
			if p.Pause(l) {
				defer p.GoOn(l)
				wait(length)
			}
		}()
	}
}

// took learns how long statements take that are not paused.
func (x *execution) took(r reply) {
	const most, weight = 5 * time.Millisecond, 8
	s := &x.sessions[r.session]
	if s.paused || s.node.Sent == nil {
		return
	}
	text := s.node.Sent.Messages
	if len(x.usual) > mostTexts {
		clear(x.usual)
	}
	usual, known := x.usual[text]
	if !known {
		usual = min(r.took, most)
	}
	x.usual[text] = usual + (min(r.took, most)-usual)/weight
}

// mostTexts bounds the statements of which it is known how long they take.
const mostTexts = 10000
