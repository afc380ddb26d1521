package mock

import "cmp"

// Signal ends the statement of the connection of a process, or with terminate the connection. It
// reports whether there is one.
func (c *connection) Signal(process uint32, terminate bool) bool {
	for _, s := range cmp.Or(c.server.databases.root, c.server).all() {
		found := s.process(process)
		switch {
		case found == nil:
			continue
		case !terminate:
			found.cancelStatement(&Error{"57014", "canceling statement due to user request"})
		case found == c:
			c.terminate()
		default:
			go found.terminate() // its client may not listen
		}
		return true
	}
	return false
}

// process is the connection of a process; nil if there is none.
func (s *Server) process(number uint32) *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c.key.process == number {
			return c
		}
	}
	return nil
}

// terminate tells the client why its connection ends, and ends it.
func (c *connection) terminate() {
	refuseClient(c.client, &Error{"57P01", "terminating connection due to administrator command"})
	c.close()
}
