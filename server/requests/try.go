package requests

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/txmc/txmc/server/application"
)

// trials are those of all sessions.
type trials struct {
	mu   sync.Mutex
	over bool // since the last start
}

// try runs each session alone, on the rows with which sessions begin, until a run does what the one before did.
// The first time that an application serves a request it may ask the database about itself: so it has done that before.
func (w *World) try() error {
	w.trials.mu.Lock()
	defer w.trials.mu.Unlock()
	if w.trials.over {
		return nil
	}
	for i, t := range w.tryAll(w.file.Sessions, w.tryOne) {
		if t.err != nil {
			return t.err
		}
		if n := len(t.kept); n > 0 {
			one := w.file.Sessions[i]
			fmt.Fprintf(os.Stderr, "txmc: %s:%d: %s: the application keeps the answers to %s in memory, such as %q: explored is what it does then; \"processes: per-run\" starts it anew for each run\n",
				filepath.Base(w.file.Name), one.line, one.name, counted(n, "statement"), t.kept[0])
		}
	}
	w.app.Learned()
	w.trials.over = true
	return nil
}

// mostPasses is how often all are tried.
const mostPasses = 4

// tryAll tries sessions, and all of them again as long as the application keeps something in memory: what it has asked for one, it may know for
// another. What has failed is not tried again.
func (w *World) tryAll(list []session, try func(session) (tried, error)) []tried {
	all := make([]tried, len(list))
	for range mostPasses {
		keeps := false
		for i, one := range list {
			was := &all[i]
			if was.err != nil {
				continue
			}
			t, err := try(one)
			keeps = keeps || len(t.kept) > 0
			*was = tried{append(was.sent, t.sent...), t.fails, append(was.kept, t.kept...), err}
		}
		if !keeps {
			break
		}
		w.app.Learned()
	}
	return all
}

// tried is what trials have shown of a session.
type tried struct {
	sent  []string // statements
	fails string   // what fails although nobody else is there, "" of nothing
	kept  []string // queries that are not sent any more
	err   error    // why it cannot be explored
}

// mostTrials is how often a session runs, as long as each run sends fewer queries than the one before.
const mostTrials = 5

// tryOne runs a session, twice, and again where the second run does not ask for what it knows by now. More than that must not differ.
func (w *World) tryOne(one session) (t tried, err error) {
	before, fails, err := w.tryOnce(one)
	if err != nil || before == nil {
		return t, err
	}
	t.sent, t.fails = before.Sent(), fails
	for n := 2; ; n++ {
		now, fails, err := w.tryOnce(one)
		if err != nil || now == nil {
			return t, err
		}
		t.sent, t.fails = append(t.sent, now.Sent()...), fails
		differs := before.Differs(now)
		if differs == "" {
			return t, nil
		}
		kept := before.Keeps(now)
		if kept == nil || n == mostTrials {
			return t, &placedError{w.file.Name, one.line, fmt.Sprintf("%s sends %s: the application keeps something in memory, or goes by chance; or name what a background task sends under \"ignore\". "+
				"\"processes: per-run\" starts it anew for each run", one.name, differs)}
		}
		t.kept = append(t.kept, kept...)
		w.app.Learned() // what it has sent before is no measure
		if before, _, err = w.tryOnce(one); err != nil || before == nil {
			return t, err
		}
	}
}

// tryOnce runs a session. The trial is nil where there is no database.
func (w *World) tryOnce(one session) (t *application.Trial, fails string, err error) {
	var wrong *placedError
	made, err := w.kept.Use(func(dial func() (net.Conn, error)) error {
		t = w.app.Try(one.name, dial)
		defer t.End()
		fails, wrong = w.trial(t, one)
		return nil
	})
	switch {
	case wrong != nil:
		return nil, "", wrong
	case err != nil || !made:
		return nil, "", err
	}
	return t, fails, nil
}

// trial sends what the session sends.
func (w *World) trial(t *application.Trial, one session) (fails string, wrong *placedError) {
	values := w.given()
	for i, s := range one.steps {
		r, err := w.do(context.Background(), t.Run, one, s, values)
		if err != nil {
			return "", &placedError{w.file.Name, s.line, fmt.Sprintf("%v: %v", s, err)}
		}
		t.Ends(r)
		if f := w.file.failure(one.name, i+1, len(one.steps), r); f != "" && fails == "" {
			fails = fmt.Sprintf("%v: %s%s", s, f, t.Said())
		}
		_ = s.saves(r, values) // where that fails it fails in the exploration
	}
	return fails, nil
}
