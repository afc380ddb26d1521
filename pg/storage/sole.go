package storage

import (
	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/rows"
)

// An update, a delete or a locking SELECT that finds one row by a unique key reads it, and then locks it: reads its
// latest version, on which PostgreSQL evaluates the condition once more. Where the statement does nothing between
// the two, and nothing else of it looks at rows by its snapshot, one read does for both. It is a locking read if the
// statement goes on to lock the row, and a plain one if it does not: when there is no row, or the condition does not
// hold. No outcome is lost or added. If the version that the plain read sees satisfies the condition, the statement does
// what the latest version says, whichever version the plain read has seen: it does the same if the plain read sees the
// latest one. docs/levels.md says it in full.

// sight is a row that a snapshot has been told of.
type sight struct {
	view uint32
	row  rowVar
}

// looked notes that a statement has read a row, and nothing else is to decide what it does.
func (s *Session) looked(t *table, r rowVar, scan engine.Scan) {
	s.sole = sight{}
	if scan.Sole && !t.apart.Load() {
		s.sole = sight{scan.View.Number, r}
	}
}

// join makes the read of a row by which a statement has found it the locking read of the row, if it can.
func (s *Session) join(t *table, r rowVar, view uint32) *version {
	l, ok := s.log.(rows.Joiner)
	if !ok || s.sole != (sight{view, r}) {
		return nil
	}
	content := s.views[view][r]
	if content == "" || !l.Join(t.contentVar(r.id)) {
		return nil
	}
	s.joined[s.sole] = true
	s.locked[r] = &version{held: held{r, content}}
	return s.locked[r]
}

// again is called when a view is asked once more for a row that it has seen. The view may have
// seen the row's latest version only, as above. Then the exploration begins again with two reads
// wherever rows of the table are locked: a trigger's function or a constraint's looks at rows by
// the statement's snapshot.
func (s *Session) again(c *engine.Call, t *table, r rowVar, view uint32) {
	if !s.joined[sight{view, r}] || t.apart.Swap(true) {
		return
	}
	shown, _ := t.rows.Content(s.views[view][r])
	s.check(c, s.log.Again(t.name, t.shown(c, shown)))
}
