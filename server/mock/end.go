package mock

// commit ends an open transaction. It may: every step was tried as if it did.
func (s *KV) commit(t *txn) {
	t.state, t.session.now = committed, nil
	s.commits++
	t.end = s.commits
	if t.idle() {
		s.window.remove(t)
		s.window.witness.without(t)
		t.after = nil
	} else {
		s.window.settle(t)
	}
	for _, w := range t.writes {
		n, v := s.items.list[w.Var], t.values[w.Var]
		v.at = s.commits
		n.versions = append(n.versions, v)
	}
	s.hand(t)
	s.unlock(t)
	s.counts.commit(s, t)
	s.forget()
}

// abort ends an open transaction without effect. What it has read counts, unless the
// options say otherwise.
func (s *KV) abort(t *txn) {
	s.undo(t)
	s.forget()
}

// undo is abort, but that nothing is forgotten at once.
func (s *KV) undo(t *txn) {
	t.state = aborted
	s.forced.stale = true
	s.window.remove(t)
	t.writes, t.values = nil, nil
	if s.options.DropAborted {
		t.reads, t.events = nil, nil
	}
	if len(t.reads) > 0 {
		s.window.settle(t)
	} else {
		s.window.witness.without(t)
		t.after = nil
	}
	s.hand(t)
	s.unlock(t)
	s.counts.aborted++
}

// fail rolls an open transaction back. The session has to roll back as well.
func (s *KV) fail(t *txn, why error) error {
	s.abort(t)
	s.counts.failed++
	return why
}
