package spec

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Permutations under the model of PostgreSQL. Each session sends what the tester gives it. What the
// model leaves to time is decided as on a server on which nothing else runs: who has waited longest
// goes on first, and time limits pass in their order (see clock).

// Model is the model of PostgreSQL as a [Database]. Permutations share what is known of the sessions'
// behaviour: what a session has been answered before is not evaluated again.
type Model struct {
	spec    *Spec
	level   isolation.Level
	kept    pg.Kept
	client  *program.Client
	printed string

	*states.Execution
	clock
	sessions []modelled
	last     int // the session of the last step
}

// modelled is a session.
type modelled struct {
	seen    *behaviour.Node // events up to there have been read
	notices []string
	result  string
	done    bool
	line    int // of the step
}

// NewModel makes the model for a file. Transactions that ask for no level have that one.
func NewModel(s *Spec, level isolation.Level) *Model { return &Model{spec: s, level: level} }

// Close gives the database back.
func (m *Model) Close() error {
	m.forget()
	return m.kept.Close()
}

// forget ends the sessions.
func (m *Model) forget() {
	if m.client != nil {
		m.client.Park()
		m.client = nil
	}
}

// stepped is the program of the file, whose sessions send what they are given.
func (m *Model) stepped(p *program.Program) {
	m.spec.declare(p, &m.kept, &m.printed, func(s *program.Session, c *pgconn.PgConn, _ *Session) {
		for {
			b := s.Given()
			s.Observe("", answer(c, b))
		}
	})
}

// answer is what is printed of a text of SQL, as it is printed of a step, and as of a setup.
func answer(c *pgconn.PgConn, given string) string {
	of, sql, _ := strings.Cut(given, " ")
	results, err := Exec(context.Background(), c, sql)
	if of == ofStep {
		return Text(results, err)
	}
	if err != nil {
		return "!" + err.Error()
	}
	return Last(results)
}

// What a text is given for.
const (
	ofStep  = "step"
	ofSetup = "setup"
)

// Begin makes the database with the first permutation.
func (m *Model) Begin(context.Context) (printed string, err error) {
	if m.client == nil {
		m.client, err = program.NewClient(m.spec.Name(), m.stepped, program.Options{Patience: 5 * time.Minute, MaxOps: 1 << 30, Recheck: -1,
			Database: true, Level: m.level.String()})
		if err != nil {
			return "", err
		}
	}
	m.clock, m.sessions, m.last = newClock(len(m.spec.Sessions)), make([]modelled, len(m.spec.Sessions)), 0
	m.Execution, err = dpor.Step(m.client, m.level, states.Statements, m.waits)
	for i := range m.sessions {
		m.sessions[i].done = true
	}
	return m.printed, m.ends(err)
}

// ends takes an error of the program: it is of no more use.
func (m *Model) ends(err error) error {
	if err != nil {
		m.forget()
	}
	return err
}

// Do runs a session's setup or teardown.
func (m *Model) Do(ctx context.Context, session int, b Block) (printed string, err error) {
	if err = m.give(session, ofSetup, b); err == nil {
		_, err = m.Poll(ctx, session, true)
	}
	if err != nil {
		return "", err
	}
	text := m.sessions[session].result
	if why, failed := strings.CutPrefix(text, "!"); failed {
		return "", m.spec.wrong(b.Line, "session %s: %s", m.spec.Sessions[session].Name, why)
	}
	return text, nil
}

// limits asks for the session's time limits, where its code has any. SHOW takes no snapshot, so that
// the session's transaction is as it was; one that has failed answers nothing, and waits for nothing.
func (m *Model) limits(ctx context.Context, session int) error {
	if !m.spec.Sessions[session].limited() {
		return nil
	}
	kept := m.sessions[session]
	for name, to := range m.clock.limits(session) {
		if err := m.give(session, ofSetup, Block{"SHOW " + name, kept.line}); err != nil {
			return err
		}
		if _, err := m.Poll(ctx, session, true); err != nil {
			return err
		}
		words := strings.Fields(m.sessions[session].result) // the name, a line, and the value
		if len(words) < 3 {
			break
		}
		if d, err := duration(words[2]); err == nil {
			*to = d
		}
	}
	kept.seen = m.sessions[session].seen
	m.sessions[session] = kept
	return nil
}

// limited reports whether a text of the session speaks of a time limit.
func (s *Session) limited() bool {
	texts := []string{s.Setup.SQL, s.Teardown.SQL}
	for _, step := range s.Steps {
		texts = append(texts, step.SQL)
	}
	return slices.ContainsFunc(texts, func(sql string) bool { return strings.Contains(strings.ToLower(sql), "timeout") })
}

// duration is a time as SHOW prints it: 0, 500ms, 10s, 2min, 1h, 3d.
func duration(text string) (time.Duration, error) {
	if days, is := strings.CutSuffix(text, "d"); is {
		d, err := time.ParseDuration(days + "h")
		return 24 * d, err
	}
	return time.ParseDuration(strings.Replace(text, "min", "m", 1))
}

// give gives a text to a session, and lets all go on that can.
func (m *Model) give(session int, of string, b Block) error {
	s := &m.sessions[session]
	*s = modelled{seen: m.Nodes()[session], notices: s.notices, line: b.Line}
	m.last = session
	m.sent(session)
	err := m.Give(session, of+" "+b.SQL)
	if err == nil {
		err = m.settle()
	}
	return m.ends(err)
}

// Send sends a step, under the limits that the session has by then.
func (m *Model) Send(ctx context.Context, session int, b Block) error {
	if err := m.limits(ctx, session); err != nil {
		return err
	}
	return m.give(session, ofStep, b)
}

// Poll looks at a session. Time passes while it waits.
func (m *Model) Poll(_ context.Context, session int, whole bool) (done bool, err error) {
	if !m.sessions[session].done {
		if err := m.pass(tick); err != nil {
			return false, err
		}
	}
	for whole && !m.sessions[session].done {
		if err := m.passNext(); err != nil {
			if errors.Is(err, errForEver) {
				err = m.spec.wrong(m.sessions[session].line, "the step of session %s waits for ever: others that it waits for do not go on in this permutation", m.spec.Sessions[session].Name)
			}
			return false, err
		}
	}
	return m.sessions[session].done, nil
}

// Notices are the messages that have come.
func (m *Model) Notices(session int) (list []string) {
	m.read(session)
	s := &m.sessions[session]
	list, s.notices = s.notices, nil
	return list
}

// read reads what has happened in a session.
func (m *Model) read(session int) {
	s, now := &m.sessions[session], m.Nodes()[session]
	var nodes []*behaviour.Node
	for n := now; n != s.seen; n = n.Before() {
		nodes = append(nodes, n)
	}
	s.seen = now
	for i := len(nodes) - 1; i >= 0; i-- {
		for _, e := range nodes[i].Events {
			switch e.Kind {
			case behaviour.NoticeEvent:
				s.notices = append(s.notices, e.Text)
			case behaviour.ObserveEvent:
				s.result, s.done = m.client.Value(e.Val).(string), true
			}
		}
	}
}

// Result is what is printed of the step that is done.
func (m *Model) Result(session int) string { return m.sessions[session].result }

// End ends the permutation: the database is made anew for the next one.
func (m *Model) End(context.Context) (printed string, err error) { return "", nil }
