package proxy

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/replay"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// Tasks are what package explore does with a server. It connects at the first use.
type Tasks struct {
	connect func(context.Context) (Database, error)
	server  *Server
}

// NewTasks returns the tasks on a database that a function connects to.
func NewTasks(connect func(context.Context) (Database, error)) *Tasks {
	return &Tasks{connect: connect}
}

// New returns the tasks on a server of PostgreSQL.
func New(at explore.OnServer) explore.Server {
	return NewTasks(func(ctx context.Context) (Database, error) { return Connect(ctx, at.DSN) })
}

// Close ends the connections.
func (t *Tasks) Close() error {
	if t.server == nil {
		return nil
	}
	return t.server.Close()
}

// open connects: once, and again after a limit or an error has ended the connection.
func (t *Tasks) open(ctx context.Context, r *explore.Run) (*Server, error) {
	if t.server != nil && !t.server.db.Alive() {
		t.server.Close() // of no more use
		t.server = nil
	}
	if t.server == nil {
		db, err := t.connect(ctx)
		if err != nil {
			return nil, err
		}
		t.server = On(db, r.Options.Patience)
	}
	return t.server, nil
}

// levelOf is the server's level that keeps the promise of a level: txmc's name for it, and
// the server's; false where it has none.
func (d *Dialect) levelOf(level isolation.Level) (of isolation.Level, named string, ok bool) {
	if own, ok := d.Levels[level]; ok {
		level = own
	}
	if level.Database() != d.Of {
		return level, "", false
	}
	return level, strings.TrimPrefix(level.Title(), d.Of.Title()+" "), true
}

// noLevel says that the server has no such level.
func (d *Dialect) noLevel(level isolation.Level) string {
	return fmt.Sprintf("%s has no level %v: %s", d.Title, level, d.NoLevel)
}

// Replay is the task that runs a saved violation on the server.
func (t *Tasks) Replay(saved *replay.File) explore.Task {
	return func(ctx context.Context, r *explore.Run, client *program.Client, level isolation.Level) error {
		c, err := t.confirm(ctx, r, client, level, saved.Violation)
		if err != nil {
			return err
		}
		r.Sink.Event(&report.Replay{
			Type: report.TypeReplay, Schema: report.Schema, Package: r.Package, Program: client.Name, Iso: level.String(),
			Verdict: c.Verdict, Steps: len(c.Answers), Difference: c.Difference, Confirmation: c,
		})
		return nil
	}
}

// Confirm runs a violation on the server. What keeps it from that is said in words: the
// violation is one all the same.
func (t *Tasks) Confirm(ctx context.Context, r *explore.Run, client *program.Client, level isolation.Level, v *report.Violation) *report.Confirmation {
	c, err := t.confirm(ctx, r, client, level, v)
	if err == nil {
		return c
	}
	c = &report.Confirmation{Server: "the server", Verdict: report.Unsaid, Message: err.Error()}
	if t.server != nil {
		c.Server = t.server.Version()
	}
	var e *program.Error
	if errors.As(err, &e) {
		c.Message = e.Message
	}
	return c
}

func (t *Tasks) confirm(ctx context.Context, r *explore.Run, client *program.Client, level isolation.Level, v *report.Violation) (*report.Confirmation, error) {
	s, err := t.open(ctx, r)
	if err != nil {
		return nil, err
	}
	of, named, ok := s.dialect.levelOf(level)
	if !ok {
		return &report.Confirmation{Server: s.Version(), Verdict: report.Unsaid, Message: s.dialect.noLevel(level)}, nil
	}
	if v.Unasserted() {
		client.CheckSerial()
	}
	on, err := s.client(ctx, client, of.String())
	if err != nil {
		return nil, err
	}
	defer on.Park()
	src := report.Source{Package: r.Package, Program: client.Name, Level: level, Names: on}
	c := &report.Confirmation{Server: s.Version(), Level: named, Failures: []report.Failure{}}
	if within := insideOf(v.Schedule); within != nil {
		c.Verdict = report.Unsaid
		c.Message = fmt.Sprintf("In step %d others run inside a statement of %s (%s). A client sends whole statements: it cannot make this schedule on a server. That says nothing against the violation.", within.Step, within.Session, within.At)
		return c, nil
	}
	if len(v.Schedule) == 0 {
		return c, s.looksFor(ctx, on, src, v, c)
	}
	otherVictim, err := s.follows(ctx, on, src, v, c)
	if err != nil || !otherVictim {
		return c, err
	}
	return s.looksElsewhere(ctx, on, src, v, c)
}

// looksElsewhere looks for a violation in other schedules, as the server has ended another
// transaction of a deadlock than the model: which one is the server's choice. Where no
// schedule has it, the difference stays what is said.
func (s *Server) looksElsewhere(ctx context.Context, on *program.Client, src report.Source, v *report.Violation, differs *report.Confirmation) (*report.Confirmation, error) {
	c := &report.Confirmation{Server: differs.Server, Level: differs.Level, Failures: []report.Failure{}}
	if err := s.looksFor(ctx, on, src, v, c); err != nil {
		return nil, err
	}
	if c.Verdict == report.Confirmed {
		c.Message = "In the schedule of the report the server ends another transaction of the deadlock; in this one the violation is there."
		return c, nil
	}
	differs.Message = fmt.Sprintf("The server ends another transaction of the deadlock, which is its choice; no other of %d schedules has the violation.", c.Executions)
	return differs, nil
}

// follows runs the schedule of a violation. It reports whether the server has ended another
// transaction of a deadlock than the model.
func (s *Server) follows(ctx context.Context, on *program.Client, src report.Source, v *report.Violation, c *report.Confirmation) (otherVictim bool, err error) {
	x, err := s.begin(ctx, on)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, x.finish()) }()
	x.named = true
	f := &follower{execution: x, recorded: v.Schedule}
	if err := f.follow(); err != nil {
		return false, err
	}
	c.Answers, c.Difference = f.answers, f.differs
	if c.Difference != nil {
		c.Verdict = report.Diverges
		return f.deadlocked, nil
	}
	return false, judges(x, src, v, c)
}

// judges asks the assertions at the end of a schedule.
func judges(x *execution, src report.Source, v *report.Violation, c *report.Confirmation) error {
	if err := x.rest(); err != nil {
		return err
	}
	ends, failures, err := x.judge()
	if err != nil {
		return err
	}
	c.Failures = src.Executed(failures, nil, nil, nil).Failures
	if c.Failures, err = x.unserializable(v, ends, c.Failures); err != nil {
		return err
	}
	c.Verdict = report.Unconfirmed
	if replay.Again(v.Failures, c.Failures) {
		c.Verdict = report.Confirmed
	}
	return nil
}

// mostTries bounds the executions that look for a violation without a schedule.
const mostTries = 2000

// looksFor runs schedule after schedule until one has the violation: at an axiomatic level
// it has none of its own.
func (s *Server) looksFor(ctx context.Context, on *program.Client, src report.Source, v *report.Violation, c *report.Confirmation) error {
	e := newSearch(s, on, src.Level)
	c.Verdict = report.Unconfirmed
	for e.executions < mostTries {
		o, err := e.next(ctx)
		if err != nil {
			return err
		}
		if c.Executions = e.executions; o == nil {
			c.Complete = true
			return nil
		}
		if now := src.Executed(o.failures, nil, nil, nil).Failures; len(now) > 0 && replay.Again(v.Failures, now) {
			c.Verdict, c.Failures = report.Confirmed, now
			for i := range o.lines {
				op := &o.lines[i]
				c.Answers = append(c.Answers, report.Answered{Step: op.Step, Session: op.Session, Statement: statementOf(op), At: op.At, Server: outcome(op)})
			}
			return nil
		}
	}
	return nil
}
