package requests

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/server/application"
)

// World is what a file's programs have together: the application, and the database as its start leaves it. It starts once.
type World struct {
	file          *File
	first, second string // the sessions whose processes start on the database that sessions begin with, and before
	app           *application.Application
	kept          pg.Kept

	trials trials
	aside  aside
	mu     sync.Mutex
	clock  time.Time // when that of the database begins
	learns sync.Once
	values map[string]string // of the setup's responses, in the database that sessions begin with
	last   map[string]string // of the latest setup
}

// NewWorld makes the world of a file. Nothing is started.
func NewWorld(f *File) *World {
	w := &World{file: f}
	if n := len(f.Sessions); n > 0 {
		w.first, w.second = f.Sessions[0].name, f.Sessions[n-1].name
	}
	w.app = &application.Application{Config: f.Config, Prepare: w.prepare, Scratch: w.scratch, Aside: w.dialAside}
	w.begins(time.Now().UTC().Truncate(time.Second))
	return w
}

// begins says when the clock of the database begins: at the present, as applications compare its times with their own clock.
func (w *World) begins(at time.Time) {
	w.clock = at
	w.app.Begins(at)
}

// Close ends the application.
func (w *World) Close() error {
	w.app.Close()
	w.aside.close()
	return w.kept.Close()
}

// Explore declares the program.
func (w *World) Explore(p *program.Program) { w.explore(p, w.file.Sessions) }

// explore declares a program of some sessions.
func (w *World) explore(p *program.Program, sessions []session) {
	f := w.file
	p.Place(f.Name, f.Line, "start")
	p.Costly()
	w.app.Limit = p.Patience() * 3 / 4
	if at := p.Clock(); !at.IsZero() {
		w.begins(at)
	}
	p.Begins(w.clock)
	db := pg.New(p, append(w.database(), pg.Keep(&w.kept), w.making(w.start))...)
	p.Attachment("trials", func() (any, error) { return nil, w.try() })
	for _, one := range sessions {
		p.Place(f.Name, one.line, one.name)
		p.Session(one.name, func(s *program.Session) { w.session(db, s, one) })
	}
	f.declare(p, db, sessions[0].line)
}

// database gives the schema and the rows that the file names.
func (w *World) database() (list []pg.Option) {
	list = append(list, pg.ClockBegins(w.clock))
	for _, s := range append(w.file.Schema[:len(w.file.Schema):len(w.file.Schema)], w.file.Seed...) {
		list = append(list, pg.SchemaFS(os.DirFS(filepath.Dir(s.pattern)), filepath.Base(s.pattern)))
	}
	return list
}

// making is the part of the database that the application and the setup make.
func (w *World) making(f func(context.Context, func() (net.Conn, error)) error) pg.Option {
	return pg.SchemaDial(w.file.Name, w.file.Line, f)
}

// start starts the application on the database that sessions begin with.
func (w *World) start(ctx context.Context, dial func() (net.Conn, error)) error {
	err := w.app.Greet(dial)
	if err == nil {
		w.learns.Do(func() { err = w.learn(ctx) })
	}
	switch {
	case err != nil:
		return err
	case w.file.Start == "":
		err = w.app.Starts(false, func() error { return w.setUp(nil, dial) })
	default:
		err = w.app.StartOn(ctx, w.first, dial)
	}
	if err == nil {
		err = apart(ctx, dial)
	}
	w.mu.Lock()
	w.values = w.last
	w.mu.Unlock()
	w.trials.mu.Lock()
	w.trials.over = false
	w.trials.mu.Unlock()
	return err
}

// learn starts what there is on a database that nobody looks at, to see what differs from start to start. The process goes on to serve a session.
func (w *World) learn(ctx context.Context) error {
	if w.file.Start != "" {
		return w.app.Learn(ctx, w.second)
	}
	if len(w.file.Setup) == 0 {
		return nil
	}
	return w.app.Starts(true, func() error {
		return w.scratch(func(dial func() (net.Conn, error)) error { return w.setUp(nil, dial) })
	})
}

// apart has the sequences of sessions begin after 1,000,000,000: which of them gets which number is no part of an outcome, and numbers are
// told by that (Program.Serializable).
func apart(ctx context.Context, dial func() (net.Conn, error)) error {
	db, err := connect(ctx, dial)
	if err != nil {
		return err
	}
	defer db.Close(ctx)
	_, err = db.Exec(ctx, `SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, 1000000000) FROM pg_sequences
		WHERE max_value > 2000000000 AND increment_by = 1 AND coalesce(last_value, 0) < 1000000000`).ReadAll()
	return err
}

// scratch makes a database for a process that starts later. Nobody looks at it.
func (w *World) scratch(f func(dial func() (net.Conn, error)) error) error {
	var failed error
	opts := append(w.database(), w.making(func(_ context.Context, dial func() (net.Conn, error)) error {
		failed = f(dial)
		return failed
	}))
	_, end, err := pg.Connect(context.Background(), func(*pgconn.Notice) {}, opts...)
	if failed != nil { // without the place, which whoever asks for the database gives
		return failed
	}
	if err != nil {
		return err
	}
	return end()
}

// prepare runs the setup in a process that has started.
func (w *World) prepare(p *application.Process) error { return w.setUp(p, nil) }

// setUp runs the setup. Commands lead to dial, or where the process does.
func (w *World) setUp(p *application.Process, dial func() (net.Conn, error)) error {
	values, ctx := map[string]string{}, context.Background()
	for _, s := range w.file.Setup {
		r := application.Response{}
		if s.run == "" {
			limited, cancel := context.WithTimeout(ctx, w.file.Patience)
			r = p.Send(limited, with(s.request, values))
			cancel()
		} else {
			r = w.command(ctx, p, dial, s.run)
		}
		if r.Err != nil || s.run == "" && r.Status >= 400 || s.run != "" && r.Status != 0 {
			return &placedError{w.file.Name, s.line, fmt.Sprintf("setup: %v: %v%s", s, r, saidBy(p))}
		}
		if err := s.saves(r, values); err != nil {
			return &placedError{w.file.Name, s.line, fmt.Sprintf("setup: %v: %v", s, err)}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = values
	return nil
}

// saidBy are the last lines of a process, if there is one.
func saidBy(p *application.Process) string {
	if p == nil {
		return ""
	}
	return p.Said()
}

// command runs a command of the setup.
func (w *World) command(ctx context.Context, p *application.Process, dial func() (net.Conn, error), line string) application.Response {
	c, err := w.app.Commands("setup")
	if err != nil {
		return application.Response{Err: err}
	}
	if p != nil {
		dial = p.Dial
	}
	c.Lead(dial)
	defer c.Lead(nil)
	return c.Run(ctx, line, "")
}

// placedError is an error about a line of the file.
type placedError struct {
	file    string
	line    int
	message string
}

// Error says where, and what.
func (e *placedError) Error() string {
	return fmt.Sprintf("%s:%d: %s", filepath.Base(e.file), e.line, e.message)
}

// Place is the line.
func (e *placedError) Place() (file string, line int) { return e.file, e.line }

// Reason is Error without the place.
func (e *placedError) Reason() string { return e.message }

// session runs a session: its requests one after another.
func (w *World) session(db *pg.DB, s *program.Session, one session) {
	config, ctx := db.Config(s), context.Background()
	run := w.app.Begin(one.name, func() (net.Conn, error) { return config.DialFunc(ctx, "", "") })
	defer run.End()
	values := w.given()
	for i, step := range one.steps {
		run.Placed = func(file string, line int) {
			if file == "" {
				file, line = w.file.Name, step.line
			}
			s.Place(file, line, step.String())
		}
		run.Placed("", 0)
		r, err := w.do(ctx, run, one, step, values)
		if err != nil {
			s.Backend().Fail("%v", err)
			return
		}
		s.Observe(step.String(), r.Shown)
		if i+1 == len(one.steps) && w.file.lenient() && step.run == "" && slices.Contains(refusals, r.Status) {
			s.Backend().Refused()
		}
		if wrong := w.file.failure(one.name, i+1, len(one.steps), r); wrong != "" {
			s.Assertf(false, "%s: %s", step, wrong)
		}
		if err := step.saves(r, values); err != nil {
			s.Assertf(false, "%s: %v", step, err)
		}
	}
	s.Assertf(!run.Open(), "the last request is answered and its transaction is still open: the pool keeps it, with its locks")
}

// given are the values of the setup.
func (w *World) given() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	values := map[string]string{}
	maps.Copy(values, w.values)
	return values
}

// do sends a request, or runs a command, in a run.
func (w *World) do(ctx context.Context, run *application.Run, one session, s step, values map[string]string) (r application.Response, err error) {
	p, err := w.process(ctx, one.name, s)
	if err != nil {
		return r, err
	}
	return run.Do(p, s.key(), func(trace string) application.Response {
		if s.run != "" {
			return p.Run(ctx, s.run, trace)
		}
		q := with(s.request, values)
		q.Trace = trace
		return p.Send(ctx, q)
	})
}

// process is the one to which a step is sent.
func (w *World) process(ctx context.Context, session string, s step) (*application.Process, error) {
	if s.run != "" {
		return w.app.Commands(session)
	}
	return w.app.Of(ctx, session)
}
