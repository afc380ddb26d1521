package program

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
	id := r.ask(&Node{Kind: Await, Loc: loc, Txn: int32(r.txns)})
	return r.client.values.get(id).(string)
}

// Gives is the answer at a node of kind Await that stands for a text.
func (c *Client) Gives(text string) (ValueID, error) { return c.values.intern(text) }

// Noticed notes a message that the database has sent to the client in the middle of a statement, as
// NOTICE is: see NoticeEvent.
func (b *Backend) Noticed(text string) {
	if r := b.run; !r.dead.Load() {
		r.events = append(r.events, Event{Kind: NoticeEvent, Loc: b.at, Text: text})
	}
}
