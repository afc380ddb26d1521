package spec

import (
	"context"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// A file as a program: its setups make the schema and the rows, and its sessions send what they are
// given, or their steps one after another.

// Settings are those that the driver of PostgreSQL's own tests gives sessions (pg_regress.c).
func (s *Spec) Settings(session string) map[string]string {
	return map[string]string{"datestyle": "Postgres, MDY", "intervalstyle": "postgres_verbose", "timezone": "America/Los_Angeles",
		"application_name": "isolation/" + s.Name() + "/" + session}
}

// declare declares the database, and the sessions by what their code does. Printed, unless nil, gets
// what the setups print.
func (s *Spec) declare(p *program.Program, kept *pg.Kept, printed *string, body func(*program.Session, *pgconn.PgConn, *Session)) *pg.DB {
	p.Place(s.File, s.Sessions[0].Line, "setup")
	options := []pg.Option{pg.SchemaDial(s.File, s.Sessions[0].Line, func(ctx context.Context, dial func() (net.Conn, error)) error {
		text, err := s.setUp(ctx, dial)
		if printed != nil {
			*printed = text
		}
		return err
	})}
	if kept != nil {
		options = append(options, pg.Keep(kept))
	}
	db := pg.New(p, options...)
	for _, one := range s.Sessions {
		p.Place(s.File, one.Line, one.Name)
		p.Session(one.Name, func(ses *program.Session) {
			ses.Place(s.File, one.Line, one.Name)
			config := db.Config(ses).Config
			config.RuntimeParams = s.Settings(one.Name)
			c, err := pgconn.ConnectConfig(context.Background(), &config)
			if err != nil {
				ses.Backend().Fail("session %s has no connection: %v", one.Name, err)
				return
			}
			defer c.Close(context.Background())
			body(ses, c, one)
		})
	}
	return db
}

// setUp runs the setups of the file and returns what is printed.
func (s *Spec) setUp(ctx context.Context, dial func() (net.Conn, error)) (printed string, err error) {
	config, err := pgconn.ParseConfig("postgres://postgres@/postgres?host=/txmc&sslmode=disable")
	if err != nil {
		return "", err
	}
	config.RuntimeParams = s.Settings("control connection")
	config.DialFunc = func(context.Context, string, string) (net.Conn, error) { return dial() }
	c, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return "", err
	}
	defer c.Close(ctx)
	for _, b := range s.Setup {
		results, err := Exec(ctx, c, b.SQL)
		if err != nil {
			return "", s.wrong(b.Line, "the setup has failed: %v", err)
		}
		printed += Last(results)
	}
	return printed, nil
}

// Explore is the file as a program whose orders are explored: each session sends its setup, its steps
// and its teardown one after another, and observes what is printed of them. What they observe, and what
// is left, has to be that of a serial order of their transactions.
func (s *Spec) Explore(p *program.Program) {
	s.declare(p, nil, nil, func(ses *program.Session, c *pgconn.PgConn, one *Session) {
		send := func(name string, b Block) {
			if b.SQL == "" {
				return
			}
			ses.Place(s.File, b.Line, name)
			results, err := Exec(context.Background(), c, b.SQL)
			ses.Observe(name, Text(results, err))
		}
		send("setup", one.Setup)
		for _, step := range one.Steps {
			send(step.Name, step.Block)
		}
		send("teardown", one.Teardown)
	})
	p.Place(s.File, s.Sessions[0].Line, "serializable")
	p.Serializable("serializable")
}
