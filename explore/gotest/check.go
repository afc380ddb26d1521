// Package gotest explores a client program inside go test: one subtest a level,
// with the counterexample as the failure's message. Users call it through the
// root package.
package gotest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/page"
)

// Bounds of a level under -short.
const (
	shortHistories = 10_000
	shortTime      = 2 * time.Second
)

// Run explores the program at each level in a subtest of its own, such as
// TestTransfer/si. A violation, an error of the program and an exploration that
// was stopped fail the subtest; see [AllowIncomplete]. A level stops a little
// before the tests' deadline, with its share of the time that is left. Under
// -short a level is bounded, and skipped when it did not end within the bounds
// and no assertion has failed.
func Run(t *testing.T, explore func(*program.Program), opts ...Option) {
	t.Helper()
	c, err := configure(opts)
	if err != nil {
		t.Fatal(err)
	}
	pkg, name := names(explore)
	client, err := program.NewClient(name, explore, c.Program())
	if err != nil {
		t.Fatal((&report.Text{}).Problem(report.NewError(pkg, name, "", err)))
	}
	c.usual(client)
	for i, l := range c.Levels {
		t.Run(l.String(), func(t *testing.T) {
			t.Helper()
			run := &level{config: *c, pkg: pkg, client: client, iso: l}
			if l.Database() != isolation.NoDatabase {
				if run.client, err = client.DatabaseAt(l.String()); err != nil {
					t.Fatal((&report.Text{}).Problem(report.NewError(pkg, name, l.String(), err)))
				}
			}
			deadline, ok := t.Deadline()
			if !run.bound(deadline, ok, len(c.Levels)-i) {
				run.conclude(t, run.late())
				return
			}
			run.conclude(t, run.explore(t.Context()))
		})
	}
}

// bound sets the limits that the tests have, whose deadline counts if there is one;
// false when there is no time. Rest is the number of levels that remain.
func (r *level) bound(deadline time.Time, has bool, rest int) bool {
	if testing.Short() {
		r.short = true
		r.MaxHistories = least(r.MaxHistories, shortHistories)
		r.Timeout = least(r.Timeout, shortTime)
	}
	if !has {
		return true
	}
	left := time.Until(deadline)
	mine := timeFor(left, testTimeout(left), rest)
	if r.Timeout == 0 || mine < r.Timeout {
		r.Timeout, r.deadline = mine, true
	}
	return mine > 0
}

// least is the smaller of two limits, of which 0 is none.
func least[T int64 | time.Duration](a, b T) T {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// conclude makes an outcome the test's.
func (r *level) conclude(t *testing.T, o outcome) {
	t.Helper()
	if o.violation != nil {
		o.text += "\n  page     " + r.keep(t, o.violation)
	}
	switch o.verdict {
	case broken, failed, unchecked:
		t.Error(o.text)
	case incomplete:
		switch {
		case r.short:
			t.Skip(o.text)
		case r.allowIncomplete:
			t.Log(o.text)
		default:
			t.Error(o.text + "\nraise the limit, make the program smaller, or pass txmc.AllowIncomplete()")
		}
	default:
		t.Log(o.text)
	}
}

// keep writes the violation to the test's artifacts when go test has the flag
// -artifacts. It says where the page is and how to replay the violation, or how to
// have both.
func (r *level) keep(t *testing.T, v *report.Violation) string {
	t.Helper()
	if f := flag.Lookup("test.artifacts"); f == nil || f.Value.String() != "true" {
		return "go test -artifacts keeps one, with a diagram\n" +
			"  replay   go test -artifacts -run='" + only(t.Name()) + "' keeps violation.json, for txmc replay"
	}
	dir := artifactDir(t)
	for name, render := range artifacts {
		data, err := render(v)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
		}
		if err != nil {
			return fmt.Sprintf("cannot write %s: %v", name, err)
		}
	}
	return filepath.Join(dir, "violation.html") + "\n  replay   txmc replay " + filepath.Join(dir, "violation.json")
}

// only is the pattern of go test -run that matches nothing but the test.
func only(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// artifacts are the files that show a violation, by name.
var artifacts = map[string]func(*report.Violation) ([]byte, error){
	"violation.json": func(v *report.Violation) ([]byte, error) { return report.Line(v) },
	"violation.html": html,
}

// html is a page with a diagram of the violation.
func html(v *report.Violation) ([]byte, error) {
	p := page.New()
	p.Add(v)
	var b bytes.Buffer
	err := p.Write(&b)
	return b.Bytes(), err
}

// names are the import path and the name of an Explore function.
func names(explore func(*program.Program)) (pkg, name string) {
	if explore == nil {
		return "", ""
	}
	full := runtime.FuncForPC(reflect.ValueOf(explore).Pointer()).Name()
	i := strings.LastIndexByte(full, '/') + 1
	pkg, name, _ = strings.Cut(full[i:], ".")
	return full[:i] + pkg, name
}

// level is a check at one level.
type level struct {
	config
	pkg      string
	client   *program.Client
	iso      isolation.Level
	short    bool
	deadline bool // the timeout is from the test's deadline
}

// timed returns ctx with the level's time limit.
func (r *level) timed(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, r.Timeout)
}
