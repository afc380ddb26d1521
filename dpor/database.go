package dpor

import (
	"fmt"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/postgres"
	"github.com/txmc/txmc/program"
)

// moment is a state of a program on a database: the database's state, and the node
// at which each session stands. A step is one operation of one session, with all
// that it releases and that goes on until it returns or waits again. What only
// timing decides, the order of those that go on and the victim of a deadlock, is a
// choice as well.
type moment struct {
	rows    postgres.Rows
	nodes   []*program.Node
	choices []postgres.Choice // what may come next
	next    int               // those before it have been taken, or given away; the last of them is on the present way
	switched
}

// database runs the operations of a client's sessions on PostgreSQL's model.
type database struct {
	prog  *program.Client
	level isolation.Level // of transactions that ask for none
	alone bool            // transactions that ask for another level have that one as well
	final int             // the session of the Finals, or -1
	note  func(Event)     // told what happens, nil for nothing
}

// first is the moment before any session has begun.
func (d *database) first() (*moment, error) {
	n := d.prog.Sessions()
	if n > maxSessions {
		return nil, &program.Error{Kind: program.Misuse, Program: d.prog.Name, Message: fmt.Sprintf("%d sessions: a database's model has at most %d", n, maxSessions)}
	}
	m := &moment{rows: *postgres.NewRows(n, true), nodes: make([]*program.Node, n), switched: switched{last: -1}}
	for i := range m.nodes {
		root, err := d.prog.Root(i)
		if err != nil {
			return nil, err
		}
		m.nodes[i] = root
	}
	d.load(m)
	return m, d.begin(m)
}

// maxSessions is what a set of sessions and a choice have room for.
const maxSessions = 64

// load adds rows for the variables that have become known.
func (d *database) load(m *moment) {
	for x := m.rows.Len(); x < d.prog.Variables(); x++ {
		m.rows.Load(int32(d.prog.Initial(program.VarID(x))))
	}
}

// begin lets every session go on to an operation that is a step.
func (d *database) begin(m *moment) error {
	for i := range m.nodes {
		d.skip(m, i)
	}
	return nil
}

// skip takes a session over ends of transactions that change nothing: of those that
// have done nothing, and of those that an error has ended before.
func (d *database) skip(m *moment, i int) {
	for m.nodes[i].Kind == program.Abort && (!m.rows.Open(i) || m.rows.InError(i)) {
		d.tell(Event{Session: i, Node: m.nodes[i], Kind: Ran, Answer: program.Done})
		if m.rows.Open(i) {
			m.rows.Rollback(i)
		}
		m.nodes[i] = m.nodes[i].Next()
	}
}

func (m *moment) copyFrom(n *moment) {
	m.rows.CopyFrom(&n.rows)
	m.nodes = append(m.nodes[:0], n.nodes...)
	m.switched, m.next = n.switched, 0
}

// enable lists what may come next: what timing decides, or a step of a session. The
// session that made the last step comes first, so that the paths found first switch
// between sessions seldom. The Finals run when all others have ended.
func (d *database) enable(m *moment) {
	m.choices = m.rows.Pending(m.choices[:0])
	if len(m.choices) > 0 {
		return
	}
	if m.last >= 0 {
		d.offer(m, m.last)
	}
	for i := range m.nodes {
		if i != m.last {
			d.offer(m, i)
		}
	}
	if len(m.choices) == 0 && d.final >= 0 && m.nodes[d.final].Kind != program.End {
		m.choices = append(m.choices, postgres.Choice{Kind: postgres.RunSession, N: int8(d.final)})
	}
}

func (d *database) offer(m *moment, i int) {
	if i != d.final && !m.rows.Blocked(i) && m.nodes[i].Kind != program.End {
		m.choices = append(m.choices, postgres.Choice{Kind: postgres.RunSession, N: int8(i)})
	}
}

// step takes a choice, and then whatever has no alternative.
func (d *database) step(m *moment, c postgres.Choice) error {
	if c.Kind == postgres.RunSession {
		m.last = int(c.N)
		if err := d.operate(m, int(c.N)); err != nil {
			return err
		}
	} else if err := d.resolve(m, c); err != nil {
		return err
	}
	for {
		m.choices = m.rows.Pending(m.choices[:0])
		if len(m.choices) != 1 {
			break
		}
		if err := d.resolve(m, m.choices[0]); err != nil {
			return err
		}
	}
	d.enable(m)
	return nil
}

// resolve lets a woken session go on, or fails the victim of a deadlock.
func (d *database) resolve(m *moment, c postgres.Choice) error {
	sess, reply := m.rows.Resolve(c)
	if sess < 0 {
		return nil
	}
	return d.answer(m, sess, reply, GoesOn)
}

// operate does the operation at which the session stands.
func (d *database) operate(m *moment, i int) error {
	n := m.nodes[i]
	if !m.rows.Open(i) {
		l, err := d.levelOf(n)
		if err != nil {
			return err
		}
		m.rows.Begin(i, l)
	}
	return d.answer(m, i, d.call(m, i, n), Ran)
}

func (d *database) call(m *moment, i int, n *program.Node) postgres.Reply {
	switch x := int(n.Var); n.Kind {
	case program.Read:
		if n.Lock {
			return m.rows.GetForUpdate(i, x)
		}
		return m.rows.Get(i, x)
	case program.Set:
		return m.rows.Set(i, x, int32(n.Val))
	case program.Find:
		return m.rows.Find(i, x)
	case program.Change:
		return m.rows.Change(i, int32(n.Val), n.Matches)
	case program.Commit:
		return m.rows.Commit(i)
	}
	m.rows.Rollback(i)
	return postgres.Reply{Kind: postgres.Done}
}

// answer gives a reply to the session, which goes on to its next operation. An UPDATE
// that the client evaluates goes on in the same step.
func (d *database) answer(m *moment, i int, reply postgres.Reply, how EventKind) error {
	for {
		n := m.nodes[i]
		if reply.Kind == postgres.Waits {
			d.tell(Event{Session: i, Node: n, Kind: Waits, On: m.rows.WaitsFor(i)})
			return nil
		}
		if reply.Kind == postgres.Again { // the client judges the newest version instead
			n = n.Before()
		}
		a, err := d.valueOf(n, reply)
		if err != nil {
			return err
		}
		d.tell(Event{Session: i, Node: n, Kind: how, Answer: a})
		if !n.Waits {
			m.nodes[i] = n.Next()
		} else if m.nodes[i], err = d.prog.Child(n, a); err != nil {
			return err
		}
		d.load(m)
		d.skip(m, i)
		if m.nodes[i].Kind != program.Change {
			return nil
		}
		reply = d.call(m, i, m.nodes[i])
	}
}

// valueOf is the answer that the client gets for a reply.
func (d *database) valueOf(n *program.Node, reply postgres.Reply) (program.ValueID, error) {
	switch reply.Kind {
	case postgres.Value, postgres.Again:
		return program.ValueID(reply.Value), nil
	case postgres.Failure:
		if a, ok := program.Failed(reply.Code.String()); ok {
			return a, nil
		}
		return 0, fmt.Errorf("the model of PostgreSQL fails %v with %v, which it never does for operations by key", n.Kind, reply.Code)
	}
	return program.Done, nil
}

// levelOf is the level of the transaction that begins at n.
func (d *database) levelOf(n *program.Node) (postgres.Level, error) {
	l := d.level
	if n.Level != "" && !d.alone {
		var err error
		if l, err = isolation.Parse(n.Level); err != nil {
			return 0, d.refuse(n, err.Error())
		}
	}
	switch l {
	case isolation.PgRC:
		return postgres.ReadCommitted, nil
	case isolation.PgRR:
		return postgres.RepeatableRead, nil
	case isolation.PgSer:
		return postgres.Serializable, nil
	}
	return 0, d.refuse(n, fmt.Sprintf("the transaction asks for %v, which is no level of PostgreSQL: its levels are pg-rc, pg-rr and pg-ser", l))
}

func (d *database) refuse(n *program.Node, message string) error {
	return &program.Error{Kind: program.Misuse, Program: d.prog.Name, Session: d.prog.SessionName(int(n.Session)), Message: message, At: d.prog.Location(n.Loc)}
}

func (d *database) tell(e Event) {
	if d.note != nil {
		d.note(e)
	}
}
