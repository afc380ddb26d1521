// Package verdict makes verdicts on recorded histories readable: as JSON, as text, and
// as reports of what breaks a level.
package verdict

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/ci"
)

// Line is a verdict as JSON, with what explains it.
type Line struct {
	Type         string            `json:"type"` // "verdict"
	Schema       int               `json:"schema"`
	File         string            `json:"file"`
	Format       string            `json:"format,omitempty"` // unless interrupted before it was known
	Iso          string            `json:"iso"`
	Verdict      string            `json:"verdict"` // satisfied, violated, undecided
	Anomaly      string            `json:"anomaly,omitempty"`
	Why          string            `json:"why,omitempty"` // of undecided
	Transactions int               `json:"transactions"`
	Operations   int               `json:"operations"`
	Seconds      float64           `json:"seconds"`
	PeakBytes    uint64            `json:"peak_bytes"`
	Faults       []judge.Fault     `json:"faults,omitempty"`
	Claim        string            `json:"claim,omitempty"`
	RealTime     []string          `json:"real_time,omitempty"` // why the order in real time is violated
	Times        string            `json:"times,omitempty"`     // used or unused, where the history tells when transactions were called
	Violation    *report.Violation `json:"violation,omitempty"`
}

// New is a verdict, with what breaks the level when that is to be explained.
func New(ctx context.Context, f *judge.File, v *judge.Verdict, explained bool) (*Line, error) {
	line := newLine(f, v)
	if !explained {
		return line, nil
	}
	if err := line.explain(ctx, f, v); err != nil && ctx.Err() == nil { // interrupted, it is violated all the same
		return nil, err
	}
	return line, nil
}

// newLine is a verdict without what explains it.
func newLine(f *judge.File, v *judge.Verdict) *Line {
	line := &Line{
		Type: "verdict", Schema: report.Schema, File: f.Path, Iso: v.Level.String(), Verdict: v.Outcome.String(),
		Anomaly: v.Anomaly, Why: v.Why, Transactions: f.Transactions, Operations: f.Operations, Seconds: v.Seconds, PeakBytes: v.PeakBytes,
	}
	if _, real := v.Level.Timeless(); f.Times && real {
		line.Times = "used"
	} else if f.Times {
		line.Times = "unused"
	}
	if f.Format != nil { // unless it was not found out in time
		line.Format = f.Format.Name
	}
	return line
}

// explain adds what breaks the level.
func (l *Line) explain(ctx context.Context, f *judge.File, v *judge.Verdict) (err error) {
	if l.Faults, err = f.Faults(ctx, v.Verdict); err != nil {
		return err
	}
	if l.Claim, err = f.Claimed(ctx, v.Verdict); err != nil {
		return err
	}
	if l.RealTime, err = f.RealTime(ctx, v.Verdict); err != nil || l.RealTime != nil {
		return err
	}
	l.Violation, err = Violation(ctx, f, v.Verdict)
	if l.Violation == nil && v.Violation != nil && err == nil {
		l.Why = "the transactions " + f.Names(ctx, v.Violation.Txns) + " read from each other in a circle"
	}
	return err
}

// Say is a verdict in a line.
func (l *Line) Say() string {
	at := fmt.Sprintf("%s  %-7s", l.File, "iso="+l.Iso)
	switch l.Verdict {
	case check.Satisfied.String():
		return fmt.Sprintf("ok    %s  satisfied, %d transactions  %.2fs\n", at, l.Transactions, l.Seconds)
	case check.Violated.String():
		return fmt.Sprintf("FAIL  %s  violated: %s  %.2fs\n", at, l.Anomaly, l.Seconds)
	}
	return fmt.Sprintf("UNDECIDED  %s  %s  %.2fs\n", at, l.Why, l.Seconds)
}

// Details says what breaks the level.
func (l *Line) Details(text *report.Text) string {
	s := ""
	for i := range l.Faults {
		s += "  " + l.Faults[i].Say() + "\n"
	}
	if l.Claim != "" {
		s += "  " + l.Claim + "\n"
	}
	for _, line := range l.RealTime {
		s += "  " + line + "\n"
	}
	switch {
	case l.Violation != nil:
		s += text.Violation(l.Violation)
	case l.Why != "" && l.Verdict == check.Violated.String():
		s += "  " + l.Why + "\n"
	}
	return s
}

// Unreadable is a history that cannot be judged, as JSON.
type Unreadable struct {
	Type    string `json:"type"` // "error"
	Schema  int    `json:"schema"`
	File    string `json:"file"` // the history
	Message string `json:"message"`
	At      string `json:"at,omitempty"`   // the file in which it is wrong
	Line    int    `json:"line,omitempty"` // of that, from 1
	Byte    *int64 `json:"byte,omitempty"` // of that, from 0, where it has no lines

	reason string // Message, without the file where that is the history itself
}

// NewUnreadable says why the history at a path cannot be judged.
func NewUnreadable(path string, err error) *Unreadable {
	l := &Unreadable{Type: report.TypeError, Schema: report.Schema, File: path, Message: err.Error()}
	l.reason = l.Message
	var whole *history.FileError
	if errors.As(err, &whole) && whole.File == path {
		l.reason = whole.Err.Error()
	}
	var wrong *history.Error
	if errors.As(err, &wrong) {
		l.reason = wrong.Want
		l.Message, l.At, l.Line = wrong.Want, wrong.File, wrong.Line
		if wrong.Line == 0 {
			l.Byte = &wrong.Byte
		}
	}
	return l
}

// problem is the same for continuous integration.
func (u *Unreadable) problem() *report.Error {
	at := cmp.Or(u.At, u.File)
	if u.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, u.Line)
	}
	return &report.Error{Type: report.TypeError, Schema: report.Schema, Program: u.File, Kind: "unreadable", Message: u.reason, At: at}
}

// judged is the verdict for continuous integration.
func (l *Line) judged(text *report.Text) *ci.Judged {
	j := &ci.Judged{File: l.File, Iso: l.Iso, Say: l.Say(), Anomaly: l.Anomaly, At: l.File, Seconds: l.Seconds, Violation: l.Violation}
	switch l.Verdict {
	case check.Violated.String():
		j.Outcome, j.Why = ci.Violated, l.Details(text)
	case check.Undecided.String():
		j.Outcome = ci.Undecided
	}
	switch {
	case len(l.Faults) > 0:
		j.At = cmp.Or(l.Faults[0].At, j.At)
	case l.Violation != nil:
		j.At = cmp.Or(firstAt(l.Violation), j.At)
	}
	return j
}

// firstAt is where the first transaction of the cycle that the history tells of stands.
func firstAt(v *report.Violation) string {
	at := map[string]string{}
	for _, t := range v.History.Transactions {
		at[t.ID] = t.At
	}
	if v.Explanation != nil {
		for _, d := range v.Explanation.Cycle {
			if at[d.From] != "" {
				return at[d.From]
			}
		}
	}
	return ""
}
