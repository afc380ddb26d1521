package mock

import (
	"context"
	"fmt"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/server/mock/exact"
)

// What is under a server: a [KV], whose reads are answered with what a level allows, or the
// model of PostgreSQL (package exact).

// under is what the connections of a server share.
type under interface {
	source
	// connect makes a connection's session, with its backend.
	connect(c *connection, name string) (session, error)
	// redefinable lets clients change the schema. renewed is called after it.
	redefinable(o pg.Others, renewed func())
}

// session is a connection's side of it.
type session interface {
	// Open reports whether a transaction is open.
	Open() bool
	// During makes ctx end what the session waits for from now on.
	During(ctx context.Context)
	// Close ends the session.
	Close()
}

// answering is a KV under backends.
type answering struct {
	*KV
	image *pg.Image
}

func newAnswering(o Options, schema []pg.Option) (*answering, error) {
	kv, err := NewKV(o)
	if err != nil {
		return nil, err
	}
	image, err := pg.NewImage(schema...)
	if err != nil {
		return nil, err
	}
	kv.Load(image.Initial())
	kv.Forgets(image.Forget)
	return &answering{kv, image}, nil
}

// redefinable lets clients change the schema.
func (s *answering) redefinable(o pg.Others, renewed func()) {
	s.image.Redefinable(func() (*pg.Backend, func(), error) {
		l := &log{s.Session("schema"), context.Background()}
		b := s.image.Backend("schema", s.options.Seed, l, o)
		return b, func() { l.Close(); _ = b.Close() }, nil
	}, func() {
		s.Renew(s.image.Initial())
		renewed()
	})
}

// redefinable lets clients change the schema.
func (s *modelled) redefinable(_ pg.Others, renewed func()) {
	s.image.Redefinable(func() (*pg.Backend, func(), error) {
		e := s.Session("schema")
		b, err := s.image.Modelled("schema", s.seed, e)
		return b, func() { e.Close(); _ = b.Close() }, err
	}, func() {
		s.Renew(s.image.Storage(), s.image.Catalog())
		renewed()
	})
}

func (s *answering) connect(c *connection, name string) (session, error) {
	l := &log{s.Session(name), context.Background()}
	c.backend = s.image.Backend(name, s.options.Seed, &connectionLog{l, c}, c)
	return l, nil
}

// modelled is PostgreSQL's model under backends.
type modelled struct {
	*exact.Store
	image *pg.Image
	seed  uint64
}

func newModelled(o Options, schema []pg.Option) (*modelled, error) {
	image, err := pg.NewModel(schema...)
	if err != nil {
		return nil, err
	}
	return &modelled{exact.New(exact.Options{Seed: o.Seed, Delay: o.Delay}, image.Storage(), image.Catalog()), image, o.Seed}, nil
}

func (s *modelled) connect(c *connection, name string) (session, error) {
	e := s.Session(name)
	var err error
	c.backend, err = s.image.Modelled(name, s.seed, &turns{e, c})
	return e, err
}

// turns is a session of the model that knows its connection.
type turns struct {
	*exact.Session
	c *connection
}

// Refuse says why the statement fails which would not fail on a server.
func (t *turns) Refuse(why string) error { return t.c.refuse(why) }

// Record hands transactions on as those of a KV.
func (s *modelled) Record(take func(*Transaction)) {
	s.Store.Record(func(t *exact.Transaction) {
		r := &Transaction{Session: t.Session, Number: t.Number, Committed: t.Committed}
		for _, e := range t.Events {
			var value any
			if e.Value != "" {
				value = e.Value
			}
			r.Events = append(r.Events, Event{Write: e.Write, Key: e.Key, Version: e.Version, Value: value, Own: e.Own, Lock: e.Lock})
		}
		take(r)
	})
}

func (s *modelled) counted() string {
	c := s.Counts()
	return fmt.Sprintf(`transactions  %d committed, %d rolled back
statements    %d, of which %d waited for others
failures      %d could not be serialized, %d in deadlocks
`, c.Committed, c.RolledBack, c.Statements, c.Waited, c.Conflicts, c.Deadlocks)
}

// levelNames are PostgreSQL's names of the levels that are not its default.
var levelNames = map[isolation.Level]string{isolation.PgRR: "repeatable read", isolation.PgSer: "serializable"}
