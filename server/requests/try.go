package requests

import (
	"context"
	"fmt"
	"net"

	"github.com/txmc/txmc/server/application"
)

// try runs each session alone, twice, on the rows with which sessions begin. The second run has to do what the first did.
// The first time that an application serves a request it may ask the database about itself: so it has done that before.
func (w *World) try() (err error) {
	w.tried.Do(func() {
		for _, one := range w.file.Sessions {
			if _, _, err = w.tryOne(one, 2); err != nil {
				return
			}
		}
		w.app.Learned()
	})
	return err
}

// tryOne does so for a session, so many times. It returns the statements that were sent, and what fails although nobody else is there, ""
// of nothing.
func (w *World) tryOne(one session, times int) (sent []string, fails string, err error) {
	var before *application.Trial
	for range times {
		var now *application.Trial
		var wrong *placedError
		made, err := w.kept.Use(func(dial func() (net.Conn, error)) error {
			now = w.app.Try(one.name, dial)
			defer now.End()
			fails, wrong = w.trial(now, one)
			return nil
		})
		switch {
		case wrong != nil:
			return nil, "", wrong
		case err != nil || !made:
			return nil, "", err
		case before != nil:
			if differs := before.Differs(now); differs != "" {
				return nil, "", &placedError{w.file.Name, one.line, fmt.Sprintf("%s sends %s: the application keeps something in memory, or goes by chance; or name what a background task sends under \"ignore\". "+
					"\"processes: per-run\" starts it anew for each run", one.name, differs)}
			}
		}
		before, sent = now, append(sent, now.Sent()...)
	}
	return sent, fails, nil
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
