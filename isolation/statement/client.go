package statement

// The client of a session. It is deterministic: the results so far decide what it sends
// next. Its variable $local holds the sum of v of the last SELECT, 0 at the start; it
// survives transactions. After an error it sends ROLLBACK, unless the transaction goes
// on. To PostgreSQL it sends it in the same step. To MariaDB it sends it as its next
// step, and not after an error that has rolled the transaction back.

// Kind is the kind of an action.
type Kind uint8

// The kinds of actions.
const (
	Done     Kind = iota // the session has ended
	Run                  // a statement
	Commit               // COMMIT
	Rollback             // ROLLBACK
)

// Action is what a session sends next.
type Action struct {
	Kind  Kind
	First bool // BEGIN goes before the statement
	Txn   int  // index of the transaction in its session
	Stmt  int  // Run: index of the statement in its transaction
	Local int
}

// Client is a position in a session's transactions. It is a value: the zero
// Client is the session's start. Clients at the same position that hold the
// same $local are equal.
type Client struct {
	txn, stmt int32
	local     int64
	end       bool // the next action is ROLLBACK
}

// Words are two numbers that are equal for equal clients.
func (c Client) Words() [2]uint64 {
	end := uint64(0)
	if c.end {
		end = 1
	}
	return [2]uint64{uint64(uint32(c.txn))<<32 | uint64(uint32(c.stmt)), uint64(c.local)<<1 | end}
}

// Next is the session's next action.
func (c Client) Next(txns []Transaction) Action {
	if int(c.txn) >= len(txns) {
		return Action{}
	}
	t := &txns[c.txn]
	a := Action{Kind: Commit, Txn: int(c.txn), Local: int(c.local)}
	switch {
	case c.end:
		a.Kind = Rollback
	case int(c.stmt) < len(t.Stmts):
		a.Kind, a.First, a.Stmt = Run, c.stmt == 0 && !t.Auto, int(c.stmt)
	case t.Rollback:
		a.Kind = Rollback
	}
	return a
}

// After is the client after the result of its next action. With rollback the
// client sends ROLLBACK at once, in the same step.
func (c Client) After(txns []Transaction, db string, r Result) (next Client, rollback bool) {
	t := &txns[c.txn]
	kind := c.Next(txns).Kind
	switch {
	case r.Kind == Failed && (t.Auto || kind != Run || db == MariaDB && rolledBack(r.Code)):
		return c.nextTransaction(), false
	case r.Kind == Failed && t.GoOn:
		return c.advance(t), false
	case r.Kind == Failed && db == PostgreSQL:
		return c.nextTransaction(), true
	case r.Kind == Failed:
		c.end = true
		return c, false
	case kind != Run:
		return c.nextTransaction(), false
	}
	if local, read := r.Local(); read && !t.Auto {
		c.local = int64(local)
	}
	if t.Auto {
		return c.nextTransaction(), false
	}
	return c.advance(t), false
}

// rolledBack reports whether MariaDB's error ends the transaction: a deadlock,
// or a row that changed since the read view was made.
func rolledBack(code string) bool { return code == "1213" || code == "1020" }

func (c Client) nextTransaction() Client {
	return Client{txn: c.txn + 1, local: c.local}
}

// advance moves past the statement and past the conditions behind it.
func (c Client) advance(t *Transaction) Client {
	c.stmt++
	for int(c.stmt) < len(t.Stmts) && t.Stmts[c.stmt].Op == Quit {
		if int(c.local) < t.Stmts[c.stmt].C {
			c.end = true
			return c
		}
		c.stmt++
	}
	return c
}
