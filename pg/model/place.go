package model

import "github.com/txmc/txmc/pg/engine"

// Conditions on ctid, and WHERE CURRENT OF. A place stands for a version of a row as long as the transaction lasts. On
// a server it may be another place: so only those are known that the transaction has met.

// Fetch comes before a row is fetched by its place.
func (s *Session) Fetch(c *engine.Call, table engine.OID, tid engine.TID, _ engine.View) {
	s.fetched = address{table, tid}
	if _, met := s.at[s.fetched]; !met {
		s.refuse(c, "a condition on ctid with a place that the transaction has not read")
	}
}

// Newest is the version of the row of a cursor that a statement changes: the transaction may have changed it since.
func (s *Session) Newest(c *engine.Call, table engine.OID, tid engine.TID, w engine.View) engine.TID {
	for {
		name, met := s.at[address{table, tid}]
		next, followed := s.replaced[address{table, tid}]
		switch {
		case met && s.names[name].dead && followed:
			tid = next
		case met && (s.names[name].dead || s.see(c, name, w)):
			return tid
		default:
			s.refuse(c, "WHERE CURRENT OF a row that another transaction has changed since it was fetched")
		}
	}
}
