package model

import (
	"slices"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/access"
)

// Sequences. All sessions share them: a number is given once, whatever becomes of the transaction, and setval
// counts at once. The instance's own sequence goes on to where the shared one is. A sequence with CACHE gives a session
// several numbers at once, of which others do not have to do with the later ones.

// Sequence is a sequence that all sessions share.
type Sequence struct {
	OID   engine.OID
	Cache int32 // how many numbers a session takes at once
}

// given is what the instance's sequence has given.
type given struct {
	setting int32 // by which setval it was set: its number in Catalog.settings, 0 for none
	numbers int32 // since then, with those that are left
	left    int32 // numbers that the session has taken and not used
}

// Next takes the next number of a sequence. The instance's own leaves out those that others have had.
func (s *Session) Next(c *engine.Call, sequence engine.OID) (set *engine.Setting, skip int) {
	own := s.given[sequence]
	if own.left > 0 {
		own.left--
		s.given[sequence] = own
		return nil, 0
	}
	if c.Table(sequence).Temporary() {
		return nil, 0
	}
	n := s.sequence(c, sequence)
	many := s.cat.sequences[n].Cache
	a := s.ask(c, access.Request{Kind: access.Next, Numbering: access.Numbering{Sequence: n, Many: many}}, 0, nil)
	if own.setting != a.Command {
		set, own = s.cat.setting(a.Command), given{setting: a.Command}
	}
	skip = int(a.Count - own.numbers)
	s.given[sequence] = given{own.setting, a.Count + many, many - 1}
	return set, skip
}

// unused forgets the numbers that the session has taken and not used, as its instance does.
func (s *Session) unused() {
	for sequence, own := range s.given {
		own.left = 0
		s.given[sequence] = own
	}
}

// Set sets a sequence for all sessions.
func (s *Session) Set(c *engine.Call, sequence engine.OID, to engine.Setting) {
	if c.Table(sequence).Temporary() {
		return
	}
	n := s.cat.set(to)
	s.ask(c, access.Request{Kind: access.Renumber, Numbering: access.Numbering{Sequence: s.sequence(c, sequence), Floor: n}}, 0, nil)
	s.given[sequence] = given{setting: n}
}

func (s *Session) sequence(c *engine.Call, oid engine.OID) int {
	i := slices.IndexFunc(s.cat.sequences, func(q Sequence) bool { return q.OID == oid })
	if i < 0 {
		s.refuse(c, "a sequence that was not there before the sessions")
	}
	return i
}

// set is the number of a setting, from 1.
func (cat *Catalog) set(to engine.Setting) int32 {
	cat.mu.Lock()
	defer cat.mu.Unlock()
	if i := slices.Index(cat.settings, to); i >= 0 {
		return int32(i + 1)
	}
	cat.settings = append(cat.settings, to)
	return int32(len(cat.settings))
}

func (cat *Catalog) setting(n int32) *engine.Setting {
	cat.mu.RLock()
	defer cat.mu.RUnlock()
	to := cat.settings[n-1]
	return &to
}
