package pg

import (
	"bytes"
	"errors"
	"strings"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program"
)

// Plain is one PostgreSQL with its own storage for all sessions of a program, which
// wait before each transaction: by a read of a variable of that name.
type Plain struct {
	Session int // that runs

	instance *engine.Instance
	start    *engine.Snapshot
	hub      *wire.Hub
	idle     bool // the server waits for a transaction
	servers  map[int]*server
}

// Attach lets the sessions of a program, which has declared its database, use it.
func (s *Plain) Attach(p *program.Program) error {
	b := p.Attachment("pg", func() (any, error) { return nil, errors.New("no database") }).(*base)
	b.plain = s.serve
	if s.instance != nil {
		return nil
	}
	var err error
	s.start = b.snapshot
	s.instance, err = b.engine.InstanceFrom(b.snapshot)
	return errors.Join(err, s.Reset())
}

// Reset goes back to the first rows.
func (s *Plain) Reset() error {
	s.hub, s.idle, s.servers = wire.NewHub(s, s), true, map[int]*server{}
	return s.instance.Reset(s.start)
}

// Close ends the server.
func (s *Plain) Close() error { return s.instance.Close() }

func (s *Plain) serve(v *server) {
	v.hub = s.hub
	s.servers[v.log.Index()] = v
}

// Exchange lets a session wait before a transaction.
func (s *Plain) Exchange(messages []byte) ([]byte, error) {
	if s.idle && !s.hub.InTransaction() && strings.ContainsRune("QPB", rune(messages[0])) && !bytes.Equal(messages, wire.Discard) {
		log := s.servers[s.Session].log
		if err := s.hub.Apart(func() error { return s.wait(log) }); err != nil {
			return nil, err
		}
	}
	out, err := s.instance.Exchange(messages)
	s.idle = wire.Status(out) != 0
	return out, err
}

func (s *Plain) wait(log *log) error {
	if log.Final() {
		return nil
	}
	if err := log.Backend.Begin("wait"); err != nil {
		return err
	}
	_, err := log.Backend.Read("turn")
	return errors.Join(err, log.Backend.Commit())
}

// Statement lets everything pass.
func (s *Plain) Statement(string) error { return nil }

// Refuse fails.
func (s *Plain) Refuse(message string) error { return errors.New(message) }

// InUse is how many instances runs have at present.
func (db *DB) InUse() (n int) {
	i := db.base.instances
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, k := range i.stocks {
		n += k.inUse
	}
	return n
}
