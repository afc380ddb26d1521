package pg

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/rows"
)

// A program may run on a real server. Then there is no instance of PostgreSQL in the
// process: what a driver sends is gathered until it waits for an answer, and goes as it
// is to whoever stands behind the session.

// remote is the backend of one run of a session, or of a script, on a real server.
type remote struct {
	greet   func(startup string) ([]byte, error)
	send    func(*access.Sent) ([]byte, error)
	whole   bool          // statements in autocommit go as they are: see access.Server
	text    func() string // the statement that an Execute runs
	startup string        // the parameters of the first connection
	unsent  access.Sent
	owed    int // answers to the messages in unsent
	messageState
	own  bool             // the client does not see the answers as they are
	hear func(out []byte) // notes what it sees then
}

// messageState is what the messages so far say of the session's transaction.
type messageState struct {
	failed bool // the server takes no message before the next Sync
	open   bool // statements have run since the last Sync, which ends their transaction
	inside bool // BEGIN has begun a transaction
	serial bool // what runs outside of BEGIN runs at SERIALIZABLE
	wrote  bool // the end of a statement since the last Sync may mean something to others
	lost   bool // an error has ended the transaction before the Sync
}

// flush is the message Flush: the server sends the answers that it has.
const flush = "H\x00\x00\x00\x04"

// The types of messages of the frontend (PostgreSQL documentation, 55.7).
const (
	isQuery    = 'Q'
	isParse    = 'P'
	isBind     = 'B'
	isDescribe = 'D'
	isExecute  = 'E'
	isClose    = 'C'
	isSync     = 'S'
	isFlush    = 'H'
	isCopyDone = 'c'
	isCopyFail = 'f'
)

// Exchange takes a message. The answers come with the message after which the client
// waits.
func (r *remote) Exchange(m []byte) ([]byte, error) {
	if m[0] == 0 { // the startup message has no type
		if r.startup == "" {
			var err error
			if r.startup, err = parameters(m); err != nil {
				return nil, err
			}
		}
		return r.greet(r.startup)
	}
	before, err := r.part(m[0])
	if err != nil {
		return before, err
	}
	r.unsent.Messages += string(m)
	out, err := r.note(m)
	return append(before, out...), err
}

// parameters are those of a startup message. Drivers write them in any order.
func parameters(m []byte) (string, error) {
	var s pgproto3.StartupMessage
	if err := s.Decode(m[4:]); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.Parameters)) {
		b.WriteString(name + "\x00" + s.Parameters[name] + "\x00")
	}
	return b.String(), nil
}

// part sends what has been gathered when another statement follows before the Sync: then
// the first may be answered, and other sessions go on, before the other runs.
func (r *remote) part(next byte) ([]byte, error) {
	switch next {
	case isParse, isBind, isExecute:
	case isSync: // the commit of what runs outside of a transaction is a step of its own
		if !r.implicit() {
			return nil, nil
		}
	default:
		return nil, nil
	}
	if len(r.unsent.Texts) == 0 || r.failed {
		return nil, nil
	}
	r.unsent.Messages += flush
	return r.ask(r.owed)
}

// note notes what a message asks for, and sends all where the client waits.
func (r *remote) note(m []byte) ([]byte, error) {
	switch m[0] {
	case isQuery:
		text, _ := wire.Text(m)
		r.unsent.Texts = append(r.unsent.Texts, rows.Short(text))
		r.wrote = r.matters(text)
		if r.implicit() {
			return r.apart()
		}
		return r.ask(0)
	case isExecute:
		text := r.text()
		r.unsent.Texts = append(r.unsent.Texts, rows.Short(text))
		r.wrote = r.wrote || r.matters(text)
		r.owed++
	case isParse, isBind, isClose:
		r.owed++
	case isDescribe:
		if r.owed++; len(m) > 5 && m[5] == 'S' { // the parameters and the columns
			r.owed++
		}
	case isFlush:
		return r.ask(r.owed)
	case isSync:
		r.lost, r.failed = r.failed, false
		out, err := r.ask(0)
		r.lost = false
		return out, err
	case isCopyDone, isCopyFail:
		return r.ask(0)
	}
	return nil, nil
}

// ask sends what has been gathered.
func (r *remote) ask(waits int) ([]byte, error) {
	q := r.unsent
	q.Startup, q.Waits, q.Prepares = r.startup, waits, len(q.Texts) == 0 && !r.open
	r.open = waits > 0 && (r.open || len(q.Texts) > 0)
	r.unsent, r.owed = access.Sent{}, 0
	out, err := r.send(&q)
	r.failed = waits > 0 && strings.HasPrefix(wire.Words(out), "!")
	if status := wire.Status(out); status != 0 {
		r.inside, r.wrote = status != 'I', false
	}
	return out, err
}

// remoteBase is a program's database on a real server: its schema and seed have run there.
func remoteBase(c *config) (*base, error) {
	s := c.server
	b := &base{remote: s, instances: &instances{}, level: cmp.Or(levels[c.level], "read committed"), changes: c.changes}
	e, err := shared.open(os.Stderr)
	if err != nil {
		return nil, err
	}
	defer shared.close()
	parser, err := e.Instance()
	if err != nil {
		return nil, err
	}
	for _, step := range slices.Concat(c.schema, c.seed) {
		r := &remote{greet: s.Greet, send: s.Send, text: func() string { return "" }}
		x := &patient{Server: r, Statements: parser.Statements}
		if err = step.run(x); err != nil {
			break
		}
	}
	return b, errors.Join(err, parser.Close())
}

// serveRemotely is the server of a run whose statements are answered by a real one.
func (db *DB) serveRemotely(p *processes, b *program.Backend) *server {
	s := &server{of: p, log: newLog(b), level: db.base.level}
	s.remote = &remote{greet: db.base.remote.Greet, send: s.relay, whole: db.base.remote.Whole(), hear: s.hear, messageState: messageState{serial: s.level == levels["pg-ser"] && !b.Final()}, text: func() string { return s.text }}
	s.hub = s.newHub(&p.turn)
	db.base.changes.apply(s, b.Session())
	b.AtEnd(s.end)
	return s
}

// relay sends what the session has sent to the real server. Transactions of the history
// begin and end as the server says.
func (s *server) relay(q *access.Sent) ([]byte, error) {
	if !s.log.Open() && slices.ContainsFunc(q.Texts, func(text string) bool {
		return !rows.Control(text) && rows.WithoutComment(text) != "" && rows.First(text) != "discard"
	}) {
		if err := s.log.Begin(); err != nil {
			return nil, err
		}
	}
	out, err := s.log.Relay(q)
	if err != nil {
		return nil, err
	}
	words := wire.Words(out)
	if !s.remote.own {
		s.hear(out)
	}
	if s.log.Open() && !s.log.Final() && wire.Status(out) == 'I' {
		err = s.ends(words)
	}
	return out, err
}

// hear notes what the client is answered.
func (s *server) hear(out []byte) {
	seen := wire.Seen(out)
	s.log.Answered([]byte(seen), wire.Words(out))
	s.log.Showed(seen)
}

// ends ends the transaction of the history.
func (s *server) ends(words string) error {
	if words != "" && words[0] == '!' || words == "ROLLBACK" || s.remote.lost {
		return s.log.Abort(words)
	}
	return s.log.Commit()
}
