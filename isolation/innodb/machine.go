package innodb

import (
	"slices"

	"github.com/txmc/txmc/isolation/statement"
)

// Machine is a state of a program of statements on InnoDB. A step is one statement,
// COMMIT or ROLLBACK of one session, with all that it releases. The statements that it
// wakes run until each has returned or blocks again. BEGIN is no step.
type Machine struct {
	program *program
	state   State
	runs    []run
	done    []Completion
	apart   bool // see CommitApart
}

// program is a program and the numbers of its results. Copies of a machine share it.
type program struct {
	source *statement.Program
	pasts  *statement.Pasts
}

// run is a session: its client, the results that it has seen, its transaction,
// and its statement in progress.
type run struct {
	client statement.Client
	past   int32
	trx    Trx
	used   bool // the transaction has used a table
	save   save
	busy   bool              // the statement is blocked, or has yet to go on
	held   *statement.Result // of a statement in autocommit whose commit is to come
	// If busy:
	action statement.Action
	txn    *statement.Transaction
	asks   expressions
	exec   exec
}

// save is the savepoint of a transaction.
type save struct {
	set   bool
	first bool // no table had been used before it
	at    Savepoint
}

// Completion is a result that a session has received.
type Completion struct {
	Session int
	Result  statement.Result
}

// NewMachine is the initial state of a program.
func NewMachine(p *statement.Program, o Options) (*Machine, error) {
	if err := check(p); err != nil {
		return nil, err
	}
	s, err := NewState(schemaOf(p), rowsOf(p), o)
	if err != nil {
		return nil, err
	}
	m := &Machine{program: &program{p, statement.NewPasts()}, state: *s, runs: make([]run, len(p.Sessions))}
	for i := range m.runs {
		m.runs[i].trx = none
	}
	return m, nil
}

// CommitApart makes the commit of a statement in autocommit that has written or locked rows a
// step of its own. Between two such statements on a server others may run. Without, one step
// is all that a client sends at once, which is what tests can decide on a server.
func (m *Machine) CommitApart() { m.apart = true }

// CopyFrom makes m a copy of n. It uses the memory that m has.
func (m *Machine) CopyFrom(n *Machine) {
	m.program, m.apart = n.program, n.apart
	m.state.CopyFrom(&n.state)
	m.runs = slices.Grow(m.runs[:0], len(n.runs))[:len(n.runs)]
	for i := range n.runs {
		m.runs[i].copyFrom(&n.runs[i])
	}
	m.done = append(m.done[:0], n.done...)
}

// copyFrom copies a session: its statement only if it is in progress.
func (r *run) copyFrom(o *run) {
	r.client, r.past, r.trx, r.used, r.save, r.busy, r.held = o.client, o.past, o.trx, o.used, o.save, o.busy, o.held
	if o.busy {
		r.action, r.txn, r.asks, r.exec = o.action, o.txn, o.asks, o.exec
	}
}

// Enabled appends the choices of the state: the sessions that can begin their
// next action, or, while woken statements have not run or a deadlock has no
// victim, what only timing decides. A final state has none.
func (m *Machine) Enabled(to []Choice) []Choice {
	before := len(to)
	if to = m.state.pending(to); len(to) > before {
		return to
	}
	for i := range m.runs {
		if !m.runs[i].busy && m.next(i).Kind != statement.Done {
			to = append(to, Choice{Kind: RunSession, N: int8(i)})
		}
	}
	if len(to) > before && m.state.options.Purge && m.state.Purgeable() > 0 {
		to = append(to, Choice{Kind: RunPurge, N: 0})
	}
	return to
}

// Stuck reports whether some session is blocked.
func (m *Machine) Stuck() bool {
	return slices.ContainsFunc(m.runs, func(r run) bool { return r.busy })
}

// Step takes a choice of Enabled, and then all choices that have no
// alternative, until sessions may begin actions again.
func (m *Machine) Step(c Choice) {
	if c.Kind == RunSession || c.Kind == RunPurge {
		m.state.ClearFootprint()
		m.done = m.done[:0]
	}
	m.step(c)
	var buffer [8]Choice
	for {
		pending := m.state.pending(buffer[:0])
		if len(pending) != 1 {
			return
		}
		m.step(pending[0])
	}
}

func (m *Machine) step(c Choice) {
	i := int(c.N)
	switch c.Kind {
	case RunSession:
		m.begin(i)
		m.run(i)
	case RunTask:
		m.run(i)
	case FailVictim:
		m.state.Fail(m.runs[i].trx)
	case RunPurge:
		m.state.Purge(1)
	}
}

func (m *Machine) txns(i int) []statement.Transaction { return m.program.source.Sessions[i] }

func (m *Machine) next(i int) statement.Action { return m.runs[i].client.Next(m.txns(i)) }

// begin starts the session's next action.
func (m *Machine) begin(i int) {
	r := &m.runs[i]
	a := m.next(i)
	t := &m.txns(i)[a.Txn]
	if r.trx == none {
		r.trx = m.state.Begin(i, levels[m.program.source.LevelOf(t)])
	}
	r.busy, r.action, r.txn, r.exec = true, a, t, exec{}
	if a.Kind != statement.Run || r.held != nil {
		return
	}
	st := t.Stmts[a.Stmt]
	r.asks = expressions{st, a.Local}
	if st.Op != statement.Save && st.Op != statement.BackTo {
		l := m.state.LevelOf(r.trx)
		r.exec.begin(&m.state, r.trx, planOf(&m.state, l, t, st), readsFrom(&m.state, l, t, st))
	}
}

// run runs the session's action until it returns or blocks.
func (m *Machine) run(i int) {
	r := &m.runs[i]
	m.state.Resume(r.trx)
	switch r.action.Kind {
	case statement.Run:
		switch {
		case r.held != nil:
			m.state.Commit(r.trx)
			m.finish(i, *r.held)
		case r.asks.stmt.Op == statement.Save || r.asks.stmt.Op == statement.BackTo:
			m.finish(i, r.savepoint(&m.state))
		default:
			r.used = true
			m.execute(i)
		}
	case statement.Commit:
		m.state.Commit(r.trx)
		m.finish(i, statement.Result{Kind: statement.Committed})
	case statement.Rollback:
		m.state.Rollback(r.trx)
		m.finish(i, statement.Result{Kind: statement.RolledBack})
	}
}

// savepoint is SAVEPOINT or ROLLBACK TO. Locks stay, unless the savepoint is
// older than the first use of a table: then MySQL rolls InnoDB's transaction
// back as a whole. MySQL manual, "SAVEPOINT"; ha_rollback_to_savepoint.
func (r *run) savepoint(s *State) statement.Result {
	switch {
	case r.asks.stmt.Op == statement.Save:
		r.save = save{true, !r.used, s.Savepoint(r.trx)}
		return statement.Result{Kind: statement.Saved}
	case !r.save.set:
		return statement.Fail("1305")
	case r.save.first:
		owner, level := s.Owner(r.trx), s.LevelOf(r.trx)
		s.Rollback(r.trx)
		r.trx, r.used = s.Begin(owner, level), false
	default:
		s.RollbackTo(r.trx, r.save.at)
	}
	return statement.Result{Kind: statement.RolledBack}
}

func (m *Machine) execute(i int) {
	r := &m.runs[i]
	a := r.exec.run(&m.state, r.trx, &r.asks)
	switch a {
	case Blocked:
		return
	case Deadlock:
		r.trx = none
	case Changed:
		m.state.Rollback(r.trx)
		r.trx = none
	case Timeout, Duplicate, NoParent, Referenced:
		m.state.RollbackTo(r.trx, r.exec.start)
	}
	code := a.Code()
	if m.apart && r.txn.Auto && code == "" && m.state.Holds(r.trx) {
		m.state.EndStatement(r.trx)
		result := r.asks.result(&r.exec)
		r.held, r.busy = &result, false
		return
	}
	if r.trx != none {
		m.endStatement(r, code == "")
	}
	if code != "" {
		m.finish(i, statement.Fail(code))
		return
	}
	m.finish(i, r.asks.result(&r.exec))
}

// endStatement ends the statement. In autocommit it ends the transaction.
func (m *Machine) endStatement(r *run, ok bool) {
	switch {
	case !r.txn.Auto:
		m.state.EndStatement(r.trx)
	case ok:
		m.state.Commit(r.trx)
	default:
		m.state.Rollback(r.trx)
	}
}

// finish gives the result to the client.
func (m *Machine) finish(i int, result statement.Result) {
	r := &m.runs[i]
	if r.action.Kind != statement.Run || r.txn.Auto {
		r.trx = none
	}
	if r.trx == none {
		r.used, r.save = false, save{}
	}
	r.past = m.program.pasts.Append(r.past, result)
	r.busy, r.held = false, nil
	r.client, _ = r.client.After(m.txns(i), statement.MariaDB, result)
	m.done = append(m.done, Completion{i, result})
}

// Done lists the results since the last choice of a session, in order. The
// slice is valid until the next step.
func (m *Machine) Done() []Completion { return m.done }

// Footprint is what the last step of a session depends on and changes.
func (m *Machine) Footprint() Footprint { return m.state.Footprint() }

// Check returns the first invariant that does not hold.
func (m *Machine) Check() error { return m.state.Check() }

// Outcome is the outcome's text, for a final state.
func (m *Machine) Outcome() string {
	results := make([][]string, len(m.runs))
	for i := range m.runs {
		results[i] = m.program.pasts.Texts(m.runs[i].past)
	}
	return m.program.source.Outcome(results, m.tables())
}

// tables are the rows as all transactions together have left them.
func (m *Machine) tables() (out statement.Tables) {
	for _, r := range m.state.Rows(tableT) {
		u := r[columnU]
		if u == Null {
			u = 0
		}
		out.T = append(out.T, statement.Row{ID: r[columnID], V: r[columnV], U: u})
	}
	if m.program.source.HasChild {
		for _, r := range m.state.Rows(tableC) {
			out.C = append(out.C, statement.ChildRow{ID: r[0], Tid: r[1]})
		}
	}
	return out
}
