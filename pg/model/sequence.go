package model

import (
	"slices"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/access"
)

// Next takes the next number of a sequence, which all sessions share. The instance's
// own sequence goes on to it: it leaves out those that others have had.
func (s *Session) Next(c *engine.Call, sequence engine.OID) (skip int) {
	i := slices.Index(s.cat.sequences, sequence)
	if i < 0 {
		s.refuse(c, "a sequence that was not there before the sessions")
	}
	n := s.ask(c, access.Request{Kind: access.Next, Sequence: i}, 0, nil).Count
	skip = int(n - s.numbers[sequence])
	s.numbers[sequence] = n + 1
	return skip
}
