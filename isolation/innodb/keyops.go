package innodb

// Keys of operations in progress, and of the machine. A client of State adds
// the operations that are blocked behind the state.

// AddCursor says where a cursor stands. What it asks for beside its start is
// known from the statement.
func (k *Keyer) AddCursor(c *Cursor) {
	k.Add(c.Index)
	k.AddValues(c.Low)
	k.AddValues(c.pos)
	k.bits(c.started, c.met, c.standing, c.beyond, c.again, c.waited, c.fresh, c.Committed, c.AtEntry, c.admitted, c.entry, c.ended)
}

// AddWrite says how far the write of a row has come.
func (k *Keyer) AddWrite(t Trx, w *Write) {
	k.AddValues(w.Key)
	k.AddValues(w.Row)
	k.AddValues(w.old)
	k.bits(w.Row == nil, w.begun, w.checked, w.unset)
	k.Add(w.index)
	k.AddSavepoint(t, w.mark)
}

// AddInsert says how far the insert of a row has come.
func (k *Keyer) AddInsert(t Trx, n *Insert) {
	k.bits(n.begun)
	k.Add(n.index)
	k.AddSavepoint(t, n.mark)
}

// AddSavepoint names a place in the undo log by the number of records behind it.
func (k *Keyer) AddSavepoint(t Trx, p Savepoint) {
	n := 0
	for u := k.s.trxs[t].undo; u != nil && u != p.last; u = u.prev {
		n++
	}
	k.Add(n)
}

// Key computes the machine's key with k. Machines of the same program with equal
// keys have seen the same results and have the same future.
func (m *Machine) Key(k *Keyer) Key {
	k.Reset(&m.state)
	k.AddState()
	for i := range m.runs {
		r := &m.runs[i]
		k.Add(int(r.past))
		k.bits(r.busy, r.held != nil, r.used, r.save.set, r.save.first)
		if r.save.set {
			k.AddSavepoint(r.trx, r.save.at)
		}
		if r.busy {
			k.exec(r.trx, &r.exec)
		}
		if r.held != nil {
			k.Add(int(m.program.pasts.Append(r.past, *r.held)))
		}
	}
	return k.Sum()
}

// exec tells how far a statement has come. The results of its session say which
// statement it is.
func (k *Keyer) exec(t Trx, e *exec) {
	k.Add(int(e.phase))
	k.Add(e.n)
	for _, row := range e.rows {
		k.AddValues(row)
	}
	for _, key := range e.keys {
		k.AddValues(key)
	}
	k.Add(len(e.keys))
	k.AddSavepoint(t, e.start)
	k.AddCursor(&e.cursor)
	k.AddWrite(t, &e.write)
	k.AddInsert(t, &e.insert)
}
