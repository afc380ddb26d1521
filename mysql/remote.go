package mysql

import (
	"cmp"
	"database/sql"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/txmc/txmc/mysql/wire"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/rows"
	"github.com/txmc/txmc/server/proxy/packet"
)

// A program may run on a real server. Then there is no engine in the process: the packets
// that a driver sends go as they are to whoever stands behind the session. The connections
// of a session are one on the server.

// remote is the backend of one run of a session, or of a script, on a real server.
type remote struct {
	greet func(startup string) ([]byte, error)
	send  func(*access.Sent) ([]byte, error)
	begin func(text string) error // is called before a statement
	hear  func(out []byte)        // notes what the client is answered

	rewrite func(sql string) string // gives the statement that is sent in place of one; nil: all are as they are

	usual

	startup string // the parameters of the first connection
	relayed
	tables   bool   // LOCK TABLES has been sent
	own      bool   // the client does not see the answers as they are
	unsent   []byte // packets that have no answer
	prepared map[uint32]*prepared
}

// relayed are the connections.
type relayed struct {
	owner *wire.Relayed // has a transaction open
	open  sync.Map      // those that have not ended, as keys
}

// usual is how statements run that ask for nothing else.
type usual struct {
	level string // of their transactions
	whole bool   // in autocommit they go as they are: see access.Server
}

// prepared is a statement that the server has parsed.
type prepared struct {
	text  string
	count int    // of its parameters
	types []byte // of the arguments, as they were told last
}

// Greet is what the server says first to a connection.
func (r *remote) Greet() ([]byte, error) { return r.greet("") }

// Start answers a driver's response to the greeting.
func (r *remote) Start(response []byte) ([]byte, error) {
	startup, err := packet.Startup(response)
	if err != nil {
		return nil, err
	}
	r.startup = cmp.Or(r.startup, startup+"level\x00"+r.level+"\x00")
	return r.greet(r.startup)
}

// Exchange takes a command of a connection, in whole packets, and answers it.
func (r *remote) Exchange(c *wire.Relayed, packets []byte) ([]byte, error) {
	p := packet.Payload(packets)
	if len(p) == 0 {
		return nil, errors.New("an empty command")
	}
	packets = r.rewritten(packets, p)
	p = packet.Payload(packets)
	if packet.Silent(p[0]) {
		r.unsent = append(r.unsent, packets...)
		return nil, nil
	}
	q := &access.Sent{Startup: r.startup, Prepares: true}
	if text, ok := r.text(p); ok {
		q.Prepares, q.Texts = false, []string{text}
		if r.owner != nil && r.owner != c {
			return nil, r.begin("") // refused
		}
		if err := r.begin(text); err != nil {
			return nil, err
		}
	}
	r.unsent = append(r.unsent, packets...)
	q.Messages, r.unsent = string(r.unsent), nil
	out, err := r.exchange(c, q)
	if err != nil {
		return nil, err
	}
	if p[0] == packet.Prepare {
		r.learn(string(p[1:]), packet.Packets(out))
	} else if r.owner == nil || r.owner == c {
		r.owner = map[bool]*wire.Relayed{true: c}[packet.Status(out) == 'T']
	}
	return packet.Packets(out), nil
}

// exchange sends a command.
func (r *remote) exchange(c *wire.Relayed, q *access.Sent) (out []byte, err error) {
	if len(q.Texts) != 1 || !r.implicit(q.Texts[0]) {
		return r.send(q)
	}
	if out, err = r.apart(c, q); err == nil {
		r.hear(out)
	}
	return out, err
}

// text is the statement that a command runs, with arguments for people to read.
func (r *remote) text(p []byte) (string, bool) {
	switch p[0] {
	case packet.Query:
		return short(string(p[1:])), true
	case packet.InitDB:
		return "USE " + string(p[1:]), true
	case packet.Reset:
		return "RESET CONNECTION", true
	case packet.ChangeUser:
		return "CHANGE USER", true
	case packet.Execute:
		if len(p) < 5 {
			return "", true
		}
		s := r.prepared[number(p[1:])]
		if s == nil {
			return "a statement that is not prepared", true
		}
		var args []packet.Argument
		args, s.types = packet.Arguments(p, s.count, s.types)
		return short(wire.Shown(s.text, args)), true
	}
	return "", false
}

// learn notes a statement that the server has parsed.
func (r *remote) learn(text string, answer []byte) {
	if n := packet.Whole(answer); n > 0 {
		if p := packet.Payload(answer[:n]); len(p) >= 9 && p[0] == 0 {
			r.prepared[number(p[1:])] = &prepared{text: text, count: int(p[7]) | int(p[8])<<8}
		}
	}
}

func number(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// short is a statement in one line.
func short(text string) string {
	const most = 64 << 10 // bytes: no report shows so much
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strings.Join(strings.Fields(text), " ")
}

// Leave rolls back what a connection that goes away has open.
func (r *remote) Leave(c *wire.Relayed) error {
	r.open.Delete(c)
	if r.owner != c {
		return nil
	}
	_, err := r.Exchange(c, packet.Make(0, append([]byte{packet.Query}, "ROLLBACK"...)))
	if errors.Is(err, program.ErrEnded) {
		return nil // there is nothing left to end
	}
	return err
}

// dial opens a connection.
func (r *remote) dial() (net.Conn, error) {
	c := wire.NewRelayed(r)
	r.open.Store(c, true)
	return c, nil
}

// vacant reports whether no connection is open.
func (r *remote) vacant() bool {
	for range r.open.Range {
		return false
	}
	return true
}

// newRemoteBase is a program's database on a real server: its schema and seed run there.
func newRemoteBase(s access.Server, c *config, level string) (*base, error) {
	if c.err != nil {
		return nil, c.err
	}
	b := &base{database: c.database, remote: s, asks: level}
	r := &remote{greet: s.Greet, send: s.Send, begin: func(string) error { return nil }, prepared: map[uint32]*prepared{}}
	at := &pool{sql.OpenDB(connector(r.dial)), r.dial, &scripted{}, func() {}, true}
	defer at.end()
	for _, s := range slices.Concat(c.schema, c.seed) {
		if err := s.run(at); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// serveRemotely is the server of a run whose statements are answered by a real one.
func (db *DB) serveRemotely(b *program.Backend) *server {
	s := &server{History: rows.NewHistory(b)}
	s.remote = &remote{greet: db.base.remote.Greet, send: s.relay, hear: s.hear, begin: s.starts, usual: usual{db.base.changes.level(b.Session(), db.base.asks), db.base.remote.Whole()}, rewrite: db.base.changes.rewrite(b.Session()), prepared: map[uint32]*prepared{}}
	return s
}

// starts notes where the client's code runs a statement. None is one beside a transaction.
func (s *server) starts(text string) error {
	if text != "" {
		return s.Statement(text)
	}
	return s.Refuse("a statement is sent on a second connection while a transaction is open on the first: " +
		"a session has one transaction at a time; send it on the transaction, or let another session do it")
}

// relay sends what the session has sent to the real server. Transactions of the history
// begin and end as the server says.
func (s *server) relay(q *access.Sent) ([]byte, error) {
	if !s.Open() && len(q.Texts) > 0 && !s.Control() {
		if err := s.Begin(); err != nil {
			return nil, err
		}
	}
	out, err := s.Relay(q)
	if err != nil {
		return nil, err
	}
	if packet.Last([]byte(q.Messages)) == packet.Ping {
		return out, nil // no statement: nothing is answered under a model either
	}
	if !s.remote.own {
		s.hear(out)
	}
	words := packet.Words(out)
	if s.Open() && !s.Final() && !q.Prepares && packet.Status(out) == 'I' {
		return out, s.ends(q, words)
	}
	return out, nil
}

// hear notes what the client is answered.
func (s *server) hear(out []byte) {
	s.History.Answered([]byte(packet.SeenOf(out)), packet.Words(out))
	s.show(packet.SeenOf(out))
}

// ends ends the transaction of the history.
func (s *server) ends(q *access.Sent, words string) error {
	if strings.HasPrefix(words, "!") || strings.HasPrefix(strings.ToLower(q.Texts[0]), "rollback") {
		return s.Abort(words)
	}
	return s.Commit()
}
