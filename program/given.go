package program

import "github.com/txmc/txmc/program/behaviour"

// A session may be driven from outside: what it does next is not in its code but comes from whoever
// steps the program (dpor.Stepper), as from somebody who types statements. Such a session asks for it
// by Given. Nobody explores it, as nobody knows what could come.

// Steps says that somebody steps the program, who gives sessions what they ask for.
func (c *Client) Steps() { c.stepped.Store(true) }

// Given waits for what whoever steps the program gives the session next. In a program that is explored
// it is an error.
func (s *Session) Given() string {
	r := s.enter("Given")
	loc := r.caller()
	if !r.client.stepped.Load() {
		r.misuse(loc, "the session waits for what somebody gives it: it can be stepped, and not explored")
	}
	id := r.ask(&behaviour.Node{Kind: behaviour.Await, Loc: loc, Txn: int32(r.txns)})
	return r.client.values.Get(id).(string)
}

// Gives is the answer at a node of kind Await that stands for a text.
func (c *Client) Gives(text string) (behaviour.ValueID, error) { return c.values.Intern(text) }

// Noticed notes a message that the database has sent to the client in the middle of a statement, as
// NOTICE is: see NoticeEvent.
func (b *Backend) Noticed(text string) {
	if r := b.run; !r.dead.Load() {
		r.events = append(r.events, behaviour.Event{Kind: behaviour.NoticeEvent, Loc: b.at, Text: text})
	}
}
