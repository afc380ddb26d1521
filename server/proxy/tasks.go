package proxy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/replay"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// Tasks are what package explore does with a server. It connects at the first use.
type Tasks struct {
	connect func(context.Context) (Database, error)
	own     bool // the server is a throw-away one
	server  *Server
}

// NewTasks returns the tasks on a database that a function connects to.
func NewTasks(at explore.OnServer, connect func(ctx context.Context, dsn string) (Database, error)) *Tasks {
	return &Tasks{connect: func(ctx context.Context) (Database, error) { return connect(ctx, at.DSN) }, own: at.Own}
}

// New returns the tasks on a server of PostgreSQL.
func New(at explore.OnServer) explore.Server {
	return NewTasks(at, func(ctx context.Context, dsn string) (Database, error) { return Connect(ctx, dsn) })
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
	var e *behaviour.Error
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
	within := insideOf(v.Schedule)
	if within != nil {
		s.free, s.pausing = true, t.own
		defer func() { s.free, s.pausing = false, false }()
	}
	on, err := s.client(ctx, client, of.String())
	if err != nil {
		return nil, err
	}
	defer on.Park()
	src := report.Source{Package: r.Package, Program: client.Name, Level: level, Names: on}
	c := &report.Confirmation{Server: s.Version(), Level: named, Failures: []report.Failure{}}
	if within != nil {
		err := s.runsFreely(ctx, on, src, v, c)
		c.Message = fmt.Sprintf("In step %d others run inside a statement of %s (%s). A client sends whole statements and cannot make this schedule: the program ran freely.", within.Step, within.Session, within.At)
		if c.Verdict != report.Confirmed {
			c.Message += " That a run has not had the violation says nothing against it."
		}
		return c, err
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
	o := &result{}
	var err error
	if o.ends, o.failures, err = x.judge(); err != nil {
		return err
	}
	if o.left, err = x.db.Left(x.ctx); err != nil {
		return err
	}
	c.Failures = x.failures(x.client, src, v, o)
	c.Verdict = report.Unconfirmed
	if replay.Again(v.Failures, c.Failures) {
		c.Verdict = report.Confirmed
	}
	return nil
}

// failures are those of an execution's assertions, and of serial orders where v is about these.
func (s *Server) failures(client *program.Client, src report.Source, v *report.Violation, o *result) []report.Failure {
	return s.unserializable(client, v, o, src.Executed(o.failures, nil, nil, nil).Failures)
}

// Bounds of the free runs that look for a violation.
const (
	mostRuns    = 2000
	mostRunning = 20 * time.Second
)

// runsFreely looks for a violation in runs in which nobody is held: a client sends whole
// statements, and cannot make a schedule in which others run inside one.
func (s *Server) runsFreely(ctx context.Context, on *program.Client, src report.Source, v *report.Violation, c *report.Confirmation) error {
	c.Verdict = report.Unsaid
	for began := time.Now(); c.Executions < mostRuns && time.Since(began) < mostRunning; {
		c.Executions++
		o, err := s.freely(ctx, on, uint64(c.Executions))
		if err != nil {
			return err
		}
		if now := s.failures(on, src, v, o); len(now) > 0 && replay.Again(v.Failures, now) {
			c.Verdict, c.Failures, c.Answers = report.Confirmed, now, answers(o.lines)
			return nil
		}
	}
	return nil
}

// answers are the statements of an execution with what the server has answered.
func answers(lines []report.Operation) (list []report.Answered) {
	for i := range lines {
		op := &lines[i]
		list = append(list, report.Answered{Step: op.Step, Session: op.Session, Statement: statementOf(op), At: op.At, Server: outcome(op)})
	}
	return list
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
			c.Verdict, c.Failures, c.Answers = report.Confirmed, now, answers(o.lines)
			return nil
		}
	}
	return nil
}
