package spec

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// How permutations run: isolationtester's own rules, of its README and its documentation. A step is
// sent when the earlier ones of its session are done, and the step before it is done or deemed
// blocked. A step that waits is reported so, and looked at again after each step.

// Database is where steps run.
type Database interface {
	// Begin begins a permutation: it runs the setups of the file, and returns what is printed.
	Begin(ctx context.Context) (printed string, err error)
	// Do runs a session's setup or teardown and returns what is printed.
	Do(ctx context.Context, session int, b Block) (printed string, err error)
	// Send sends a step. The session has no other one under way.
	Send(ctx context.Context, session int, b Block) error
	// Poll reports whether the session's step is done. It returns when that is done, or when it waits
	// for a lock; with whole only when it is done.
	Poll(ctx context.Context, session int, whole bool) (done bool, err error)
	// Notices are the messages that have come to the session since the last call.
	Notices(session int) []string
	// Result is what is printed of the step that is done.
	Result(session int) string
	// End ends the permutation: it runs the teardown of the file, and returns what is printed.
	End(ctx context.Context) (printed string, err error)
}

// Header is what is printed before the permutations.
func (s *Spec) Header() string {
	return fmt.Sprintf("Parsed test spec with %d sessions\n", len(s.Sessions))
}

// Run runs a permutation on a database and writes what the tester prints.
func (s *Spec) Run(ctx context.Context, d Database, p *Permutation, to io.Writer) error {
	t := &tester{spec: s, Database: d, to: to, active: make([]*underWay, len(s.Sessions)), noticed: make([]int, len(s.Sessions))}
	t.print("\nstarting permutation: %v\n", p)
	if err := t.begin(ctx); err != nil {
		return err
	}
	for _, e := range p.Entries {
		if err := t.step(ctx, e); err != nil {
			return err
		}
	}
	if err := t.look(ctx, true); err != nil {
		return err
	}
	if len(t.waiting) > 0 {
		return s.wrong(t.waiting[0].Line, "permutation %v: steps wait for each other by their markers", p)
	}
	return t.end(ctx)
}

// tester runs a permutation.
type tester struct {
	spec *Spec
	Database
	to      io.Writer
	failed  error // of to
	active  []*underWay
	noticed []int       // messages, by session
	news    bool        // one has come
	waiting []*underWay // in the order in which they were sent
}

// underWay is a step that has been sent.
type underWay struct {
	*Entry
	notices []int // by marker: how many its session has to have got
}

func (t *tester) print(format string, args ...any) {
	if _, err := fmt.Fprintf(t.to, format, args...); err != nil && t.failed == nil {
		t.failed = err
	}
}

// begin runs the setups.
func (t *tester) begin(ctx context.Context) error {
	text, err := t.Begin(ctx)
	t.print("%s", text)
	for i, one := range t.spec.Sessions {
		if err == nil && one.Setup.SQL != "" {
			text, err = t.Do(ctx, i, one.Setup)
			t.notices(i)
			t.print("%s", text)
		}
	}
	return err
}

// end runs the teardowns.
func (t *tester) end(ctx context.Context) error {
	for i, one := range t.spec.Sessions {
		if one.Teardown.SQL == "" {
			continue
		}
		text, err := t.Do(ctx, i, one.Teardown)
		if err != nil {
			return err
		}
		t.notices(i)
		t.print("%s", text)
	}
	text, err := t.End(ctx)
	t.print("%s", text)
	if err != nil {
		return err
	}
	return t.failed
}

// step sends a step, when its session is free, and looks at all that are under way.
func (t *tester) step(ctx context.Context, e *Entry) error {
	for old := t.active[e.Session]; t.active[e.Session] != nil; {
		before := len(t.waiting)
		waits, err := t.complete(ctx, old, true, true)
		if err != nil {
			return err
		}
		if !waits {
			t.waiting = slices.DeleteFunc(t.waiting, func(w *underWay) bool { return w == old })
		}
		if err := t.look(ctx, false); err != nil {
			return err
		}
		if waits && len(t.waiting) == before {
			return t.spec.wrong(e.Line, "step %s cannot be sent: step %s before it does not complete by its markers", e.Name, old.Name)
		}
	}
	w := &underWay{Entry: e}
	for _, m := range e.Markers {
		n := 0
		if m.Kind == ForNotices {
			n = m.Notices + t.noticed[m.Step.Session]
		}
		w.notices = append(w.notices, n)
	}
	if err := t.Send(ctx, e.Session, e.Block); err != nil {
		return err
	}
	t.active[e.Session] = w
	waits, err := t.complete(ctx, w, false, false)
	if err == nil {
		err = t.look(ctx, false)
	}
	if waits {
		t.waiting = append(t.waiting, w)
	}
	return err
}

// look looks whether waiting steps are done, with whole until they are.
func (t *tester) look(ctx context.Context, whole bool) error {
	for again := true; again; {
		t.news, again = false, false
		var left []*underWay
		for _, w := range t.waiting {
			waits, err := t.complete(ctx, w, true, whole)
			if err != nil {
				return err
			}
			if waits {
				left = append(left, w)
				again = again || len(w.Markers) > 0
			}
		}
		again = again && (len(left) < len(t.waiting) || t.news)
		t.waiting = left
	}
	return nil
}

// complete reports whether a step still waits, and prints it when it is done. Old says that it has
// been reported as waiting.
func (t *tester) complete(ctx context.Context, w *underWay, old, whole bool) (waits bool, err error) {
	once := slices.ContainsFunc(w.Markers, func(m Marker) bool { return m.Kind == Once })
	if !old && once {
		t.print("step %s: %s <waiting ...>\n", w.Name, w.SQL)
		return true, nil
	}
	done, err := t.Poll(ctx, w.Session, whole)
	if err != nil {
		return false, err
	}
	t.notices(w.Session)
	if !done || t.hindered(w) {
		if !old {
			t.print("step %s: %s <waiting ...>\n", w.Name, w.SQL)
		}
		return true, nil
	}
	if old {
		t.print("step %s: <... completed>\n", w.Name)
	} else {
		t.print("step %s: %s\n", w.Name, w.SQL)
	}
	t.print("%s", t.Result(w.Session))
	t.active[w.Session] = nil
	return false, nil
}

// notices prints the messages that have come to a session.
func (t *tester) notices(session int) {
	for _, text := range t.Notices(session) {
		t.print("%s: %s\n", t.spec.Sessions[session].Name, text)
		t.noticed[session]++
		t.news = true
	}
}

// hindered reports whether markers keep a step that is done from being reported.
func (t *tester) hindered(w *underWay) bool {
	for i, m := range w.Markers {
		switch m.Kind {
		case OtherStep:
			if a := t.active[m.Step.Session]; a != nil && a.Step == m.Step {
				return true
			}
		case ForNotices:
			if t.noticed[m.Step.Session] < w.notices[i] {
				return true
			}
		}
	}
	return false
}
