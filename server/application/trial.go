package application

import (
	"fmt"
	"net"
	"regexp"
	"slices"
	"time"
)

// Before sessions are explored, each runs alone, twice, on the rows that it begins with. So it becomes known which values are
// fresh, and whether the application does the same again: it must not keep in memory what it goes by.

// Trial is such a run. It says what the session has sent, and got.
type Trial struct {
	*Run
	sent     []string
	got      []string      // responses
	together time.Duration // how long it waits for a statement that is sent beside another one
}

// Try begins a trial, in which statements that are sent at the same time are noticed.
func (a *Application) Try(session string, dial func() (net.Conn, error)) *Trial {
	t := &Trial{Run: a.Begin(session, dial), together: 3 * time.Millisecond}
	t.trial = t
	return t
}

// alone is an error where another statement is sent while one waits.
func (r *Run) alone(q question) error {
	if r.trial == nil {
		return nil
	}
	r.trial.notes(q)
	timer := time.NewTimer(r.trial.together)
	defer timer.Stop()
	select {
	case other := <-r.questions:
		other.reply <- answered{nil, ErrOver}
		q.reply <- answered{nil, ErrOver}
		return fmt.Errorf("the statements %q and %q are sent at the same time, on two connections: their order differs from run to run; "+
			"let the application send one after the other, or name what a background task sends under \"ignore\"", first(q), first(other))
	case <-timer.C:
		return nil
	}
}

// first is the first statement of a question.
func first(q question) string {
	for _, sql := range q.batch.texts(q.socket.text) {
		return short(sql)
	}
	return ""
}

// notes notes what is sent, without fresh values.
func (t *Trial) notes(q question) {
	if q.batch.prepares() { // the first time only
		return
	}
	for _, sql := range q.batch.texts(q.socket.text) {
		shape, _ := skeleton(sql, true)
		t.sent = append(t.sent, shape)
	}
}

// Ends notes a response.
func (t *Trial) Ends(r Response) {
	shape, _ := skeleton(r.Shown, false)
	t.got = append(t.got, shape)
}

// Said are the last lines that the process of the present request has printed, for an error; "" of none.
func (t *Trial) Said() string { return t.process.Said() }

// Sent are the statements, without fresh values.
func (t *Trial) Sent() []string { return t.sent }

// once are statements that a library sends once, to learn about the database.
var once = regexp.MustCompile(`(?i)pg_catalog|information_schema|\bpg_(type|class|attribute|namespace|proc|index|enum|range)\b|^\s*(SHOW|SET|BEGIN|COMMIT|ROLLBACK|START|END)\b|\bversion\(\)|\bcurrent_(schema|database|setting)`)

// Differs says how the session did something else the second time, "" where it did not. What libraries ask the database about
// itself, the first time only, does not count.
func (t *Trial) Differs(second *Trial) string {
	a, b := slices.Concat(t.sent, t.got), slices.Concat(second.sent, second.got)
	if slices.Equal(a, b) {
		return ""
	}
	a, b = slices.DeleteFunc(a, once.MatchString), slices.DeleteFunc(b, once.MatchString)
	if slices.Equal(a, b) {
		return ""
	}
	for i := range max(len(a), len(b)) {
		was, is := "nothing", "nothing"
		if i < len(a) {
			was = fmt.Sprintf("%q", short(a[i]))
		}
		if i < len(b) {
			is = fmt.Sprintf("%q", short(b[i]))
		}
		if was != is {
			return fmt.Sprintf("%s the first time, and %s when it is sent again to the same rows", was, is)
		}
	}
	return ""
}

// reads matches a statement that only looks at rows.
var reads = regexp.MustCompile(`(?i)^\s*SELECT\b`)

// locks matches what takes locks in such a statement, or writes.
var locks = regexp.MustCompile(`(?i)\bFOR\s+(NO\s+KEY\s+UPDATE|UPDATE|SHARE|KEY\s+SHARE)\b|\bINTO\b|\b(nextval|setval|pg_\w*advisory\w*)\s*\(`)

// Keeps are the queries whose answers the application keeps in memory after the first run: the second one sends the same without them, and gets the
// same responses. It is nil where more has changed.
func (t *Trial) Keeps(second *Trial) (kept []string) {
	if !slices.Equal(t.got, second.got) {
		return nil
	}
	rest := second.sent
	for _, sql := range t.sent {
		switch {
		case len(rest) > 0 && rest[0] == sql:
			rest = rest[1:]
		case once.MatchString(sql):
		case reads.MatchString(sql) && !locks.MatchString(sql):
			kept = append(kept, sql)
		default:
			return nil
		}
	}
	if len(rest) > 0 {
		return nil
	}
	return kept
}

// Learned ends the trials: what was sent is forgotten, and not which values are fresh.
func (a *Application) Learned() { a.memory.forget() }
