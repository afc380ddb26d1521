package postgres

import (
	"slices"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/isolation/statement"
)

// The kinds of choices. RunTask and FailVictim are left to time alone.
const (
	RunSession = model.RunSession // session N does its next action
	RunTask    = model.RunTask    // woken task N goes on
	FailVictim = model.FailVictim // waiting session N fails with 40P01
)

// Choice is one way in which a state can go on.
type Choice = model.Choice

// Machine is a state of a program of statements on PostgreSQL. A step is one
// statement, COMMIT or ROLLBACK of one session, with all that it wakes and that
// runs on until it returns or blocks again. BEGIN is no step.
type Machine struct {
	program *program
	state   State
	runs    []run
	done    []Completion
	apart   bool // see CommitApart
}

// run is a session: its client, the results that it has seen, and its statement
// in progress.
type run struct {
	client statement.Client
	past   int32
	exec   exec
	asks   expressions       // of the statement in progress
	held   *statement.Result // of a statement in autocommit whose commit is to come
}

// Completion is a result that a session has received.
type Completion struct {
	Session int
	Result  statement.Result
}

// NewMachine is the initial state of a program.
func NewMachine(p *statement.Program, races bool) (*Machine, error) {
	c, err := compile(p)
	if err != nil {
		return nil, err
	}
	m := &Machine{program: c, runs: make([]run, len(p.Sessions))}
	m.state = *NewState(Options{Tables: c.tables, Sessions: len(p.Sessions), Races: races})
	for _, r := range p.Rows {
		m.state.Load(tableT, rowT(r.ID, r.V, r.U))
	}
	for _, r := range p.Children {
		m.state.Load(tableC, rowC(r.ID, r.Tid))
	}
	return m, nil
}

func rowT(id, v, u int) Row { return Row{Keys: []int32{int32(id), int32(u)}, Value: int32(v)} }

func rowC(id, tid int) Row {
	return Row{Keys: []int32{int32(id)}, Value: int32(tid), Refs: []int32{int32(tid)}}
}

// CommitApart makes some commits of statements in autocommit a step of their own: those of
// statements that have written or locked rows, or have read at SERIALIZABLE. On a server others
// may run between such a statement and its commit. Without CommitApart all that a client sends at
// once is one step: tests on a server can decide no more.
func (m *Machine) CommitApart() { m.apart = true }

// Record makes the machine and its copies collect footprints.
func (m *Machine) Record() { m.state.recording = true }

// CopyFrom makes m a copy of n, which has the same program.
func (m *Machine) CopyFrom(n *Machine) {
	m.program, m.apart = n.program, n.apart
	m.state.CopyFrom(&n.state)
	m.runs = append(m.runs[:0], n.runs...)
	for i := range m.runs {
		e := &m.runs[i].exec
		e.out, e.checks = slices.Clip(e.out), slices.Clip(e.checks)
	}
	m.done = m.done[:0]
}

// Enabled appends the choices of the state: the sessions that can begin their
// next action, or while woken statements have not run, what only timing
// decides. A final state has none.
func (m *Machine) Enabled(to []Choice) []Choice {
	before := len(to)
	if to = m.state.Pending(to); len(to) > before {
		return to
	}
	for i := range m.runs {
		if !m.state.Blocked(i) && m.next(i).Kind != statement.Done {
			to = append(to, Choice{Kind: RunSession, N: int8(i)})
		}
	}
	return to
}

// Stuck reports whether some session is blocked.
func (m *Machine) Stuck() bool {
	for i := range m.runs {
		if m.state.Blocked(i) {
			return true
		}
	}
	return false
}

// Step takes a choice of Enabled, and then all choices that have no
// alternative, until sessions may begin actions again.
func (m *Machine) Step(c Choice) {
	m.done = m.done[:0]
	if c.Kind == RunSession {
		m.state.ClearFootprint()
		m.begin(int(c.N))
	} else {
		m.resolve(c)
	}
	var buffer [8]Choice
	for {
		pending := m.state.Pending(buffer[:0])
		if len(pending) != 1 {
			return
		}
		m.resolve(pending[0])
	}
}

// Done lists the results of the last step, in order. The slice is valid until the
// next one.
func (m *Machine) Done() []Completion { return m.done }

// Footprint is what the steps since the last choice of a session depend on and
// change.
func (m *Machine) Footprint() Footprint { return m.state.Footprint() }

// Tables are the machine's tables, for Footprint.Conflicts.
func (m *Machine) Tables() []Table { return m.program.tables }

func (m *Machine) resolve(c Choice) {
	sess, a := m.state.Resolve(c)
	switch {
	case sess == none || !m.runs[sess].exec.active && a.Result == Blocked:
	case a.Result == Ready:
		m.begin(sess)
	default:
		r := &m.runs[sess]
		done, code := r.exec.run(&m.state, sess, &r.asks, a)
		m.executed(sess, done, code)
	}
}

func (m *Machine) txns(i int) []statement.Transaction { return m.program.source.Sessions[i] }

func (m *Machine) next(i int) statement.Action { return m.runs[i].client.Next(m.txns(i)) }

// begin starts the session's next action.
func (m *Machine) begin(i int) {
	if r := m.runs[i].held; r != nil {
		m.runs[i].held = nil
		m.finish(i, m.commit(i, *r))
		return
	}
	a := m.next(i)
	if t := &m.program.txns[i][a.Txn]; !m.state.Open(i) {
		m.state.Begin(i, t.level, t.readOnly, t.reads)
		if t.deferrable {
			m.state.Defer(i)
		}
	}
	switch a.Kind {
	case statement.Commit:
		m.finish(i, m.commit(i, statement.Result{Kind: statement.Committed}))
	case statement.Rollback:
		m.state.Rollback(i)
		m.finish(i, statement.Result{Kind: statement.RolledBack})
	case statement.Run:
		m.runStatement(i, a)
	}
}

// commit commits the transaction; if that succeeds, the result is r.
func (m *Machine) commit(i int, r statement.Result) statement.Result {
	switch a := m.state.Commit(i); a.Result {
	case OK:
		return r
	case Failed:
		return statement.Fail(a.Code.String())
	}
	return statement.Result{Kind: statement.RolledBack}
}

func (m *Machine) runStatement(i int, a statement.Action) {
	st := &m.txns(i)[a.Txn].Stmts[a.Stmt]
	switch {
	case m.state.InError(i) && st.Op != statement.BackTo:
		m.finish(i, statement.Fail(InFailedTransaction.String()))
	case st.Op == statement.Save:
		m.state.Savepoint(i)
		m.complete(i, statement.Result{Kind: statement.Saved})
	case st.Op == statement.BackTo:
		if a := m.state.RollbackTo(i, m.state.Depth(i)); a.Result == Failed {
			m.fail(i, a.Code)
			return
		}
		m.complete(i, statement.Result{Kind: statement.RolledBack})
	default:
		if m.state.Snapshot(i) == Blocked {
			return
		}
		if m.state.ReadOnly(i) && st.Writes() {
			m.fail(i, ReadOnlyTransaction)
			return
		}
		r := &m.runs[i]
		r.exec, r.asks = newExec(&m.program.txns[i][a.Txn].plans[a.Stmt]), expressions{st, int32(a.Local)}
		done, code := r.exec.start(&m.state, i, &r.asks)
		m.executed(i, done, code)
	}
}

// executed ends a statement that does not wait.
func (m *Machine) executed(i int, done bool, code Code) {
	switch {
	case code != NoError:
		m.fail(i, code)
	case done:
		m.complete(i, m.runs[i].asks.result(&m.runs[i].exec))
	}
}

// complete ends a statement that succeeded. In autocommit it commits.
func (m *Machine) complete(i int, r statement.Result) {
	m.state.EndStatement(i)
	if m.txns(i)[m.next(i).Txn].Auto {
		if m.apart && m.state.Holds(i) {
			m.runs[i].exec, m.runs[i].asks, m.runs[i].held = exec{}, expressions{}, &r
			return
		}
		r = m.commit(i, r)
	}
	m.finish(i, r)
}

// fail ends a statement with an error.
func (m *Machine) fail(i int, c Code) {
	m.state.Fail(i)
	m.finish(i, statement.Fail(c.String()))
}

// finish gives the result to the client.
func (m *Machine) finish(i int, r statement.Result) {
	ru, auto := &m.runs[i], m.txns(i)[m.next(i).Txn].Auto
	ru.exec, ru.asks = exec{}, expressions{}
	ru.past = m.program.pasts.Append(ru.past, r)
	m.done = append(m.done, Completion{i, r})
	client, rollback := ru.client.After(m.txns(i), statement.PostgreSQL, r)
	ru.client = client
	if rollback || auto && m.state.InError(i) {
		m.state.Rollback(i)
	}
}

// Key computes the key of the machine with k. Machines of the same program with
// equal keys have seen the same results and have the same future.
func (m *Machine) Key(k *Keyer) Key {
	m.addState(k)
	for i := range m.runs {
		k.Add(uint64(uint32(m.runs[i].past)))
	}
	return k.Sum()
}

// addState adds the state and the statements in progress.
func (m *Machine) addState(k *Keyer) {
	k.Reset(&m.state)
	for i := range m.runs {
		if e := &m.runs[i].exec; e.active {
			e.refer(k)
		}
	}
	k.AddState()
	for i := range m.runs {
		if r := m.runs[i].held; r != nil {
			k.Add(uint64(i)<<32 | uint64(uint32(m.program.pasts.Append(0, *r))) | 1<<40)
		}
		e := &m.runs[i].exec
		k.Add(b2u(e.active))
		if e.active {
			e.addTo(k)
		}
	}
}

// refer names the versions that the statement uses.
func (e *exec) refer(k *Keyer) {
	k.Refer(e.at)
	k.Refer(e.made)
	for _, t := range e.rows[max(e.pos, 0):] {
		k.Refer(t)
	}
}

// addTo adds a statement in progress to a key. The session's client says which
// statement it is.
func (e *exec) addTo(k *Keyer) {
	k.Add(uint64(e.phase) | uint64(e.mode)<<8 | uint64(e.index)<<16 | uint64(uint32(e.check))<<32)
	k.Add(uint64(uint32(e.n)))
	k.AddTID(e.at)
	k.AddTID(e.made)
	for _, c := range e.checks[min(int(e.check), len(e.checks)):] {
		k.Add(uint64(uint32(c.key)) | uint64(uint8(c.foreign))<<40 | uint64(c.table)<<48 | 1<<33)
	}
	for _, t := range e.rows[max(e.pos, 0):] {
		k.Add(k.tid(t) | 1<<34)
	}
	for _, r := range e.out {
		k.addRow(r)
	}
}

// Outcome is the outcome's text, for a final state.
func (m *Machine) Outcome() string {
	results := make([][]string, len(m.runs))
	for i := range m.runs {
		results[i] = m.program.pasts.Texts(m.runs[i].past)
	}
	var final statement.Tables
	for _, t := range m.state.Committed(tableT) {
		r := m.state.Row(t)
		final.T = append(final.T, statement.Row{ID: int(r.Keys[0]), V: int(r.Value), U: int(r.Keys[1])})
	}
	for _, t := range m.state.Committed(tableC) {
		r := m.state.Row(t)
		final.C = append(final.C, statement.ChildRow{ID: int(r.Keys[0]), Tid: int(r.Value)})
	}
	return m.program.source.Outcome(results, final)
}
