package states

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/innodb"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/isolation/postgres"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// state is a state of a program on a database: the database's state, and the node
// at which each session stands. A step is one operation of one session, with all
// that it releases and that goes on until it returns or waits again. What only
// timing decides, the order of those that go on and the victim of a deadlock, is a
// choice as well.
type state struct {
	rows    model.Database
	nodes   []*behaviour.Node
	choices []model.Choice // what may come next
	next    int            // those before it have been taken, or given away; the last of them is in the present schedule
	fair    bool           // a deadlock has ended: who is woken goes on first
	arrival
}

// database runs the operations of a client's sessions on a database's model.
type database struct {
	prog  *program.Client
	level isolation.Level // of transactions that ask for none
	alone bool            // transactions that ask for another level have that one as well
	races bool            // what only timing decides is a choice too
	final int             // the session of the Finals, or -1
	note  func(Event)     // takes what happens, nil for nobody
	grain Steps
	looks *model.Looks // nil: all counts as looked at

	copies  *program.Copies   // looks at the nodes that are reached; nil without symmetry
	waiting []*behaviour.Node // operations that have waited, one of each transaction
	failed  error             // of a client that was asked what its statement makes of a row
}

// first is the state before any session has begun.
func (d *database) first() (*state, error) {
	n := d.prog.Sessions()
	if n > maxSessions {
		return nil, &behaviour.Error{Kind: behaviour.Misuse, Program: d.prog.Name, Message: fmt.Sprintf("%d sessions: a database's model has at most %d", n, maxSessions)}
	}
	rows, err := d.empty()
	if err != nil {
		return nil, err
	}
	m := &state{rows: rows, nodes: make([]*behaviour.Node, n), arrival: arrival{last: -1}}
	for i := range m.nodes {
		root, err := d.prog.Root(i)
		if err != nil {
			return nil, err
		}
		if err := d.reach(m, i, root); err != nil {
			return nil, err
		}
	}
	if err := d.load(m); err != nil {
		return nil, err
	}
	return m, d.begin(m)
}

// empty is the database of the level without rows. What timing decides is a choice:
// also who of a deadlock is its victim.
func (d *database) empty() (model.Database, error) {
	if d.prog.Storage() != nil {
		return d.storage()
	}
	var tables []model.Table
	for _, t := range d.prog.Tables() {
		tables = append(tables, model.Table(t))
	}
	if d.level.Database() == isolation.InnoDB {
		return innodb.NewRows(d.prog.Sessions(), tables, innodb.Options{Races: d.races})
	}
	return postgres.NewRows(d.prog.Sessions(), tables, d.races), nil
}

// maxSessions is what a set of sessions and a choice have room for.
const maxSessions = 64

// load adds rows for the variables that have become known.
func (d *database) load(m *state) error {
	for i := m.rows.Len(); i < d.prog.Variables(); i++ {
		x := behaviour.VarID(i)
		p, err := d.prog.PlaceOf(x)
		if err != nil {
			return err
		}
		m.rows.Load(model.Row{Table: p.Table, Order: p.Order, Value: int32(d.prog.Initial(x)), Columns: entries(p.Columns)}, p.Exists)
	}
	return nil
}

// reach lets a session stand at a node.
func (d *database) reach(m *state, i int, n *behaviour.Node) error {
	m.nodes[i] = n
	if err := d.connect(m, n); err != nil {
		return err
	}
	if d.copies == nil {
		return nil
	}
	return d.copies.Look(n)
}

// goOn lets a session go on from the node at which it stands, with an answer if it waits for
// one.
func (d *database) goOn(m *state, i int, answer behaviour.ValueID) error {
	n := m.nodes[i]
	if !n.Waits {
		return d.reach(m, i, n.Next())
	}
	next, err := d.prog.Child(n, answer)
	if err != nil {
		return err
	}
	return d.reach(m, i, next)
}

// left is the value that all committed transactions have left; NoRow of a row that is
// not there.
func left(rows model.Database, x int) behaviour.ValueID {
	if v, exists := rows.Committed(x); exists {
		return behaviour.ValueID(v)
	}
	return behaviour.NoRow
}

// begin lets every session go on to an operation that is a step.
func (d *database) begin(m *state) error {
	for i := range m.nodes {
		if err := d.skip(m, i); err != nil {
			return err
		}
	}
	return nil
}

// skip moves a session past the ends of transactions at which nothing changes. These are
// transactions that have done nothing, transactions that an error has ended before, and
// operations in autocommit that hold nothing.
func (d *database) skip(m *state, i int) (err error) {
	for err == nil && m.ends(i) {
		n := m.nodes[i]
		if n.Kind == behaviour.Abort {
			d.emit(Event{Session: i, Node: n, Kind: Ran, Answer: behaviour.Done})
		}
		if s := m.server(i); m.rows.Open(s) {
			m.rows.Rollback(s)
		}
		if err = d.goOn(m, i, behaviour.Done); err == nil && n.Waits {
			err = d.load(m)
		}
	}
	return err
}

// ends reports whether the session stands at an end of a transaction that is no step: an
// operation in autocommit that holds nothing has ended its transaction itself. The commit of an
// open transaction always is a step.
func (m *state) ends(i int) bool {
	n := m.nodes[i]
	if n.Kind != behaviour.Commit && n.Kind != behaviour.Abort {
		return false
	}
	switch s := m.server(i); n.Kind {
	case behaviour.Commit:
		return (!n.Waits || n.Auto) && !m.rows.Open(s)
	case behaviour.Abort:
		return !m.rows.Open(s) || m.rows.InError(s)
	}
	return false
}

func (m *state) copyFrom(n *state) {
	m.rows.CopyFrom(n.rows)
	m.nodes = append(m.nodes[:0], n.nodes...)
	m.arrival, m.fair, m.next = n.arrival, n.fair, 0
}

// step takes a choice, and then whatever has no alternative.
func (d *database) step(m *state, c model.Choice) error {
	if c.Kind == model.RunSession {
		m.last = int(c.N)
		if err := d.operate(m, int(c.N)); err != nil {
			return err
		}
	} else if err := d.resolve(m, c); err != nil {
		return err
	}
	m.fair = m.fair || c.Kind == model.FailVictim
	for {
		m.pending()
		if !d.settles(m) {
			break
		}
		if err := d.resolve(m, m.choices[0]); err != nil {
			return err
		}
	}
	if d.enable(m); len(m.choices) > 0 || m.awaits() {
		return nil
	}
	if i := d.stuck(m); i >= 0 && d.hang(m) == nil {
		return d.refuse(m.nodes[i], "the statement waits for ever: for sessions that wait for this one, in a circle that "+d.level.Database().Title()+" does not look for")
	}
	return nil
}

// resolve lets a woken session go on, or fails the victim of a deadlock or one that has waited for too long.
func (d *database) resolve(m *state, c model.Choice) error {
	server, reply := m.rows.Resolve(m.inServers(c), d.of(m))
	if server < 0 {
		return nil
	}
	return d.answer(m, m.session(server), reply, GoesOn)
}

// operate does the operation at which the session stands.
func (d *database) operate(m *state, i int) error {
	n := m.nodes[i]
	if n.Kind != behaviour.Serve && !m.rows.Open(m.server(i)) {
		l, err := d.levelOf(n)
		if err != nil {
			return err
		}
		m.rows.Begin(m.server(i), model.Transaction{Level: l, Auto: n.Auto, ReadOnly: n.Mode.ReadOnly, Deferrable: n.Mode.Deferrable})
	}
	return d.answer(m, i, d.call(m, n), Ran)
}

func (d *database) call(m *state, n *behaviour.Node) model.Reply {
	i := m.serverOf(n)
	switch x := int(n.Var); n.Kind {
	case behaviour.Read:
		if n.Lock {
			return m.rows.GetLocked(i, x, lockOf(n.How))
		}
		return m.rows.Get(i, x)
	case behaviour.Set:
		return m.rows.Set(i, x, int32(n.Val))
	case behaviour.Find:
		return m.rows.Find(i, x)
	case behaviour.Change:
		return m.rows.Change(i, int32(n.Val), n.Matches)
	case behaviour.Ask:
		return m.rows.Run(i, queryOf(n.Query), d.of(m))
	case behaviour.Serve:
		return m.rows.(model.Storage).Serve(i, n.Request)
	case behaviour.Save:
		return m.rows.Savepoint(i)
	case behaviour.BackTo:
		return m.rows.RollbackTo(i, int(n.Depth))
	case behaviour.Release:
		return m.rows.Release(i, int(n.Depth))
	case behaviour.Commit:
		return m.rows.Commit(i)
	}
	m.rows.Rollback(i)
	return model.Reply{Kind: model.Done}
}

// answer gives a reply to the session, which goes on to its next operation. An UPDATE
// that the client evaluates goes on in the same step.
func (d *database) answer(m *state, i int, reply model.Reply, how EventKind) error {
	for {
		n := m.nodes[i]
		if d.failed != nil {
			return d.failed
		}
		if reply.Kind == model.Begins { // it has waited for its snapshot
			reply = d.call(m, n)
			continue
		}
		if reply.Kind == model.Pauses {
			if d.among(m, i) {
				d.emit(Event{Session: i, Node: n, Kind: Pauses})
				return nil
			}
			reply = d.call(m, n)
			continue
		}
		if reply.Kind == model.Waits {
			d.wait(n)
			d.emit(Event{Session: i, Node: n, Kind: Waits, On: m.waitsFor(i)})
			return nil
		}
		if reply.Kind == model.Again { // the client judges the newest version instead
			n = n.Before()
		}
		a, err := d.valueOf(n, reply)
		if err != nil {
			return err
		}
		d.emit(Event{Session: i, Node: n, Kind: how, Answer: a})
		m.nodes[i] = n
		if err := d.goOn(m, i, a); err != nil {
			return err
		}
		if err := d.load(m); err != nil {
			return err
		}
		if err := d.skip(m, i); err != nil {
			return err
		}
		m.leave(i)
		if !m.nodes[i].Joins || d.pauses(m, i) {
			return nil
		}
		reply = d.call(m, m.nodes[i])
	}
}

// wait notes that an operation waits.
func (d *database) wait(n *behaviour.Node) {
	if !slices.ContainsFunc(d.waiting, func(o *behaviour.Node) bool { return o.Session == n.Session && o.Txn == n.Txn }) {
		d.waiting = append(d.waiting, n)
	}
}

// valueOf is the answer that the client gets for a reply.
func (d *database) valueOf(n *behaviour.Node, reply model.Reply) (behaviour.ValueID, error) {
	switch reply.Kind {
	case model.Value, model.Again:
		return behaviour.ValueID(reply.Value), nil
	case model.Answered:
		return d.prog.Encoded(&reply.Found), nil
	case model.NoRow:
		return behaviour.NoRow, nil
	case model.Count:
		return d.prog.Number(int(reply.Value))
	case model.Rows:
		items := make([]behaviour.Item, len(reply.Rows))
		for i, r := range reply.Rows {
			items[i] = behaviour.Item{Var: behaviour.VarID(r.X), Val: behaviour.ValueID(r.Value)}
		}
		return d.prog.Items(items)
	case model.Failure:
		if a, ok := behaviour.Failed(reply.Code); ok {
			return a, nil
		}
		return 0, fmt.Errorf("the model of %s fails %v with %s, which no operation of a program can meet", d.level.Title(), n.Kind, reply.Code)
	}
	return behaviour.Done, nil
}

// numbers are the levels by their numbers in the models.
var numbers = map[isolation.Level]model.Level{
	isolation.PgRC: model.Level(postgres.ReadCommitted), isolation.PgRR: model.Level(postgres.RepeatableRead), isolation.PgSer: model.Level(postgres.Serializable),
	isolation.InnoRC: model.Level(innodb.ReadCommitted), isolation.InnoRR: model.Level(innodb.RepeatableRead),
	isolation.InnoRRSI: model.Level(innodb.SnapshotIsolation), isolation.InnoSer: model.Level(innodb.Serializable),
	isolation.InnoRU: model.Level(innodb.ReadUncommitted),
}

// levelOf is the level of the transaction that begins at n.
func (d *database) levelOf(n *behaviour.Node) (model.Level, error) {
	l := d.level
	if n.Level != "" && !d.alone {
		var err error
		if l, err = isolation.Parse(n.Level); err != nil {
			return 0, d.refuse(n, err.Error())
		}
	}
	if db := d.level.Database(); l.Database() != db {
		return 0, d.refuse(n, fmt.Sprintf("the transaction asks for %v, which is no level of %s: its levels are %s", l, db.Title(), list(isolation.LevelsOf(db))))
	}
	return numbers[l], nil
}

// list writes levels as a list.
func list(levels []isolation.Level) string {
	var b strings.Builder
	for i, l := range levels {
		switch {
		case i > 0 && i == len(levels)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(l.String())
	}
	return b.String()
}

func (d *database) refuse(n *behaviour.Node, message string) error {
	return &behaviour.Error{Kind: behaviour.Misuse, Program: d.prog.Name, Session: d.prog.SessionName(int(n.Session)), Message: message, At: d.prog.Location(n.Loc)}
}
