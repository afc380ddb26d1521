package spec

import (
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/behaviour"
)

// Time under the model. A tester looks at a step that waits every ten milliseconds, and all else
// takes no time. A wait looks for a deadlock once, deadlock_timeout after it has begun, so that of a
// circle the one whose look comes first after the circle has closed is the victim. lock_timeout counts
// from the begin of a wait, statement_timeout from that of the statement (documentation, 19.11.1 and
// 19.12).

// tick is how often a tester looks.
const tick = 10 * time.Millisecond

// clock is the time of a permutation.
type clock struct {
	now   time.Duration
	waits int // waits that have begun
	of    []timer
}

// timer is the time of a session.
type timer struct {
	deadlock, lock, statement time.Duration // limits; 0 of the last two: none
	sent                      time.Duration // when the statement was
	since                     time.Duration // when its wait has begun
	number                    int           // of the wait
	looked                    bool          // for a deadlock
}

func newClock(sessions int) clock {
	c := clock{of: make([]timer, sessions)}
	for i := range c.of {
		c.of[i].deadlock = time.Second
	}
	return c
}

// limits are the time limits of a session, by the names of their settings.
func (c *clock) limits(session int) iter.Seq2[string, *time.Duration] {
	t := &c.of[session]
	return func(yield func(string, *time.Duration) bool) {
		_ = yield("deadlock_timeout", &t.deadlock) && yield("lock_timeout", &t.lock) && yield("statement_timeout", &t.statement)
	}
}

// sent notes that a statement has been sent.
func (c *clock) sent(session int) { c.of[session].sent = c.now }

// waits notes that a session begins to wait.
func (m *Model) waits(e states.Event) {
	if e.Kind == states.Waits {
		m.clock.waits++
		t := &m.of[e.Session]
		t.since, t.number, t.looked = m.now, m.clock.waits, false
	}
}

// settle lets all go on that can, until every session has answered or waits for another one.
func (m *Model) settle() error {
	for {
		c, ok := m.next()
		if !ok {
			break
		}
		if err := m.Take(c); err != nil {
			return err
		}
	}
	for i := range m.sessions {
		m.read(i)
	}
	return nil
}

// next is what comes next without time passing: of woken statements the one that has waited longest,
// then the session of the last step, then any other.
func (m *Model) next() (c model.Choice, ok bool) {
	var tasks []model.Choice
	for _, c := range m.Choices() {
		if c.Kind == model.RunTask {
			tasks = append(tasks, c)
		}
	}
	if len(tasks) > 0 {
		return slices.MinFunc(tasks, func(a, b model.Choice) int { return m.rank(a) - m.rank(b) }), true
	}
	for k := range m.sessions {
		i := (m.last + k) % len(m.sessions)
		if m.Nodes()[i].Kind != behaviour.Await && !m.Blocked(i) {
			return model.Choice{Kind: model.RunSession, N: int8(i)}, true
		}
	}
	return c, false
}

// rank is the number of the wait that a task ends; the end of a record comes first.
func (m *Model) rank(c model.Choice) int {
	if i := m.Woken(c); i >= 0 {
		return m.of[i].number
	}
	return -1
}

// due is the next limit of a session that passes while it waits, and what happens then.
func (m *Model) due(i int) (at time.Duration, c model.Choice, ok bool) {
	t := &m.of[i]
	if !m.Blocked(i) {
		return 0, c, false
	}
	if !t.looked {
		at, c, ok = t.since+t.deadlock, model.Choice{Kind: model.FailVictim, N: int8(i)}, true
	}
	for _, l := range []struct{ limit, from time.Duration }{{t.lock, t.since}, {t.statement, t.sent}} {
		if end := l.from + l.limit; l.limit > 0 && (!ok || end < at) {
			at, c, ok = end, model.Choice{Kind: model.TimeOut, N: int8(i)}, true
		}
	}
	return at, c, ok
}

// first is the first limit of all that passes.
func (m *Model) first() (at time.Duration, c model.Choice, ok bool) {
	for i := range m.sessions {
		if a, choice, is := m.due(i); is && (!ok || a < at) {
			at, c, ok = a, choice, true
		}
	}
	return at, c, ok
}

// pass lets time pass.
func (m *Model) pass(d time.Duration) error {
	end := m.now + d
	for {
		at, c, ok := m.first()
		if !ok || at >= end {
			m.now = max(m.now, end)
			return nil
		}
		if err := m.reach(at, c); err != nil {
			return err
		}
	}
}

// errForEver says that no limit passes any more.
var errForEver = errors.New("nothing goes on")

// passNext lets time pass up to the next limit.
func (m *Model) passNext() error {
	at, c, ok := m.first()
	if !ok {
		return errForEver
	}
	return m.reach(at, c)
}

// reach is the time at which a limit passes. A look for a deadlock may find none.
func (m *Model) reach(at time.Duration, c model.Choice) error {
	m.now = max(m.now, at)
	t := &m.of[c.N]
	if c.Kind == model.FailVictim {
		t.looked = true
	}
	switch {
	case c.Kind == model.TimeOut && !m.Expires(int(c.N)): // the statement before has set the limit
		t.lock, t.statement = 0, 0
		return nil
	case c.Kind == model.FailVictim && !m.Has(c):
		return nil
	}
	if err := m.Take(c); err != nil {
		return m.ends(err)
	}
	return m.ends(m.settle())
}
