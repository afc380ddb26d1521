package program

// Code of a session need not be Go. A session may stand for requests to an application in another
// language, of which a file tells. Then the stack says nothing about lines: who drives the session
// says where it is.

// Place says where the code is that declares what follows: a line of a file, and what is done there.
// It is so until the next call.
func (p *Program) Place(file string, line int, what string) {
	p.run.enter("Place")
	p.run.place(file, line, what)
}

// Place says where the session's code is from now on, until the next call. A transaction that begins there is
// called what is done.
func (s *Session) Place(file string, line int, what string) {
	s.enter("Place").place(file, line, what)
}

func (r *run) place(file string, line int, what string) {
	r.placed = r.client.locs.Position(r.client.locs.Locate(file, line, what))
}
