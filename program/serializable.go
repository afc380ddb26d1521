package program

import (
	"fmt"
	"strings"

	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/behaviour"
)

// Serializable declares that every outcome is the outcome of a serial order. In this order the
// transactions can run one after another. Each session makes the same observations (see
// [Session.Observe]), and the same values are left. It is reported like an invariant, under the
// given name. Transactions that a database has ended because of concurrency (40001, 40P01, 55P03,
// 57014; 1213, 1020, 1205 and 3572 of MySQL) are not part of the order. A session that only tries to
// take an advisory lock, does not get it and changes nothing is not either: it has been refused, as it
// is when it comes a little later. Nor is one that has failed (see [Session.Failed]) because an UPDATE found no row, and that has
// left nothing: it looks for the version of the row that it has read.
//
// Under a database's model the orders are found by running them. At axiomatic levels the
// history itself decides: it must be serializable.
func (p *Program) Serializable(name string) {
	loc := p.declaring("Serializable")
	loc = p.declare(declaration{what: "Serializable", name: name, loc: loc})
	p.serializable = append(p.serializable, invariantDecl{name: name, loc: loc})
}

// SerialSessions declares more than [Program.Serializable]: every outcome is that of an order
// of the sessions, each from its beginning to its end before the next. So it notices sessions
// that others must not meet between two of their transactions: code that looks in one
// transaction, and writes what follows from it in another one. A session of which a conflict
// has ended one transaction and not another is not judged.
func (p *Program) SerialSessions(name string) {
	loc := p.declaring("SerialSessions")
	loc = p.declare(declaration{what: "SerialSessions", name: name, loc: loc})
	p.serializable = append(p.serializable, invariantDecl{name: name, loc: loc})
	p.whole = true
}

// Serializable is the declaration that outcomes are those of serial orders; false when
// there is none. It is that of [Client.CheckSerial] where that was asked for.
func (c *Client) Serializable() (Judge, bool) {
	switch {
	case c.ChecksSerial():
		return *c.serial.Load(), true
	case len(c.shape.serializable) == 0:
		return Judge{}, false
	}
	d := c.shape.serializable[0]
	return Judge{Kind: behaviour.InvariantError, Name: d.name, At: c.Location(d.loc)}, true
}

// SerialSessions reports whether the orders are those of whole sessions.
func (c *Client) SerialSessions() bool { return c.shape.whole }

// Seen is what a session observed, and how its transactions ended.
type Seen struct {
	Observed  string // in words
	Committed int    // transactions
	Conflicts int    // errors of the database because of concurrency
	Refused   bool   // a lock that it only tries to take was another session's, and it has changed nothing; or it has told its user to try again (Backend.Refused), and committed nothing; or it has failed because an UPDATE found no row, and left nothing
}

// Seen is what the session that ended at a node has seen.
func (c *Client) Seen(end *behaviour.Node) (s Seen) {
	var b strings.Builder
	path := end.Path()
	changes, again := false, false
	var left leaving
	for i, n := range path {
		if n.Kind == behaviour.Serve && i+1 < len(path) {
			changes = changes || n.Request.Changes()
			left.asks(n.Request.Changes() && c.Asked(path[i+1].Via).Result == access.OK)
			s.Refused = s.Refused || n.Request.Kind == access.Advise && (n.Request.NoWait || n.Request.Expires) && c.Asked(path[i+1].Via).Result == access.WouldBlock
		}
		for _, e := range n.Events {
			switch e.Kind {
			case behaviour.ObserveEvent:
				fmt.Fprintf(&b, "%s %s\n", e.Text, c.Format(e.Val))
			case behaviour.RefuseEvent:
				again = true
			case behaviour.GaveUpEvent:
				left.failed = true
			case behaviour.StatementEvent:
				left.statement(e.Text)
			case behaviour.AnswerEvent:
				if code, _, _ := strings.Cut(e.Text, " "); conflicts[strings.TrimPrefix(code, "!")] {
					s.Conflicts++
				}
			}
		}
		if n.Waits && i+1 < len(path) {
			if err := behaviour.ErrorOf(path[i+1].Value()); err != nil && conflicts[err.Code()] {
				s.Conflicts++
			}
		}
		left.ends(n.Kind)
		if n.Kind == behaviour.Commit && s.Conflicts == 0 {
			s.Committed++
		}
	}
	for _, f := range end.Failures {
		fmt.Fprintf(&b, "failed %s %s\n", f.Name, f.Message)
	}
	s.Observed, s.Refused = b.String(), s.Refused && !changes || again && s.Committed == 0 || left.nothing()
	return s
}

// Refused notes that the session has told its user to try again, as an application does that finds another version of a row than it has
// read. Where the session has committed nothing it is left out of serial orders, as those are that the database has ended because
// of others.
func (b *Backend) Refused() {
	if r := b.run; !r.dead.Load() {
		r.happens(behaviour.Event{Kind: behaviour.RefuseEvent, Loc: b.at})
	}
}

// conflicts are the SQLSTATEs, and MySQL's numbers, by which a database ends a transaction
// because of others. After a wait that takes too long or is not wanted (55P03, 57014, 1205,
// 3572), code has to end the transaction.
var conflicts = map[string]bool{"40001": true, "40P01": true, "55P03": true, "57014": true, "1213": true, "1020": true, "1205": true, "3572": true}
