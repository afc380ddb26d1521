// Package judge gives verdicts on files with recorded histories. It reads them with package
// format, decides them with package check, and reports what is wrong.
package judge

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/format"
)

// File is a history that was read.
type File struct {
	Path         string
	Format       *format.Format
	Transactions int
	Operations   int
	// Times: the history tells when each transaction was called and returned. Events: it numbers these moments, and tells no times.
	Times, Events bool

	recording *check.Recording
	texts     map[string]int64
}

// Load reads a history in a format, or in the one it finds out when that is nil.
// Orders of versions and of transactions that the file tells are used only with
// facts. The end of ctx ends it.
func Load(ctx context.Context, path string, as *format.Format, facts bool) (*File, error) {
	if as == nil {
		var err error
		if as, err = format.Detect(path); err != nil {
			return nil, err
		}
	}
	f := &File{Path: path, Format: as, recording: check.NewRecording(), texts: map[string]int64{}}
	l := &loader{File: f, ctx: ctx, facts: facts, sessions: map[string]int{}, byID: map[string]int{}}
	to := history.Sink{Txn: l.txn}
	if facts {
		to.Fact = l.fact
	}
	if err := as.Read(ctx, path, to); err != nil {
		return nil, err
	}
	return f, l.end()
}

// loader makes a recording of a history.
type loader struct {
	*File
	ctx      context.Context
	sessions map[string]int
	byID     map[string]int
	facts    bool
	orders   []history.Fact
	timed    int

	intervals int // transactions that tell when they were called
}

func (l *loader) txn(t *history.Txn) error {
	if l.Transactions%1024 == 0 && l.ctx.Err() != nil {
		return l.ctx.Err()
	}
	l.Transactions++
	session, ok := l.sessions[t.Session]
	if !ok {
		session = len(l.sessions)
		l.sessions[t.Session] = session
	}
	n := l.recording.Begin(session, t.Fate)
	if t.ID != "" && l.Format.Name == "txmc" { // whose facts name transactions
		if _, ok := l.byID[t.ID]; ok {
			return &history.Error{File: t.File, Line: t.Line, Want: fmt.Sprintf("the id %q is that of a transaction before: each needs its own, or none", t.ID)}
		}
		l.byID[t.ID] = n
	}
	if t.Timed {
		if t.Commit < t.Start {
			return fmt.Errorf("%s: the transaction commits, at %d, before it starts, at %d", t.Where(), t.Commit, t.Start)
		}
		l.timed++
		l.recording.Timestamps(t.Start, t.Commit)
	}
	if err := l.interval(t); err != nil {
		return err
	}
	for i := range t.Ops {
		l.Operations++
		if err := l.op(&t.Ops[i]); err != nil {
			return fmt.Errorf("%s: %w", t.Where(), err)
		}
	}
	return nil
}

// interval notes when the client called a transaction.
func (l *loader) interval(t *history.Txn) error {
	switch {
	case !t.Real.Known:
		return nil
	case t.Real.Returned < t.Real.Called:
		return fmt.Errorf("%s: the transaction returned, at %d, before it was called, at %d", t.Where(), t.Real.Returned, t.Real.Called)
	}
	if l.intervals == 0 {
		l.Events = t.Real.Events
	}
	if l.Events != t.Real.Events {
		return fmt.Errorf("%s: the times of some transactions count events, and those of others do not", t.Where())
	}
	l.intervals++
	l.recording.Interval(t.Real.Called, t.Real.Returned)
	return nil
}

func (l *loader) op(o *history.Op) error {
	switch o.Kind {
	case history.Predicate:
		return l.predicate(o.Where)
	case history.ReadList:
		values := make([]int64, len(o.List))
		for i, v := range o.List {
			var err error
			if values[i], err = l.value(v); err != nil {
				return err
			}
		}
		l.recording.ReadList(l.recording.Key(o.Key), values)
		return nil
	}
	v, err := l.version(history.Version{Key: o.Key, Value: o.Value})
	switch {
	case err != nil:
	case o.Kind == history.Read:
		l.recording.Read(v)
	case o.Kind == history.Append:
		l.recording.Append(v.Key, v.Value)
	default:
		l.recording.Write(v)
	}
	return err
}

// value is a value as a number. Texts get numbers that no history has.
func (l *loader) value(v history.Value) (int64, error) {
	const reserved = math.MinInt64 + 1<<40
	text := v.Text
	switch v.Kind {
	case history.Text:
	case history.Literal: // which is no text that has the same letters
		text = "\x00" + text
	default:
		if v.Num < reserved {
			return 0, fmt.Errorf("the value %d is too small", v.Num)
		}
		return v.Num, nil
	}
	n, ok := l.texts[text]
	if !ok {
		n = math.MinInt64 + int64(len(l.texts))
		l.texts[text] = n
	}
	return n, nil
}

func (l *loader) version(v history.Version) (check.Version, error) {
	out := check.Version{Key: l.recording.Key(v.Key), Initial: v.Value.Kind == history.Initial}
	if out.Initial {
		return out, nil
	}
	var err error
	out.Value, err = l.value(v.Value)
	return out, err
}

func (l *loader) versions(list []history.Version) ([]check.Version, error) {
	var out []check.Version
	for _, v := range list {
		x, err := l.version(v)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// ErrPredicate is met where a history has a predicate read that tells what matches, and the
// order of versions, without which it says nothing, is not used.
var ErrPredicate = errors.New("a predicate read counts only where the order of versions is used")

func (l *loader) predicate(w *history.Where) error {
	saw, err := l.versions(w.Saw)
	if err != nil {
		return err
	}
	result, err := l.versions(w.Result)
	if err != nil {
		return err
	}
	if w.Name != "" {
		if l.facts {
			l.recording.Where(w.Name, saw, result, w.Snapshot)
		}
		return nil
	}
	if !l.facts {
		return ErrPredicate
	}
	matches, err := l.versions(w.Matches)
	if err != nil {
		return err
	}
	set := map[check.Version]bool{}
	for _, v := range matches {
		set[v] = true
	}
	l.recording.Predicate(saw, result, func(v check.Version) bool { return set[v] })
	return nil
}

// fact keeps what is told for the end, when all transactions are known.
func (l *loader) fact(f history.Fact) error {
	l.orders = append(l.orders, f)
	return nil
}

func (l *loader) end() error {
	for _, f := range l.orders {
		for _, d := range f.Deleted {
			v, err := l.version(d.Version)
			if err != nil {
				return err
			}
			l.recording.Deleted(v, d.At)
		}
		if f.Deleted != nil {
			continue
		}
		if f.Where != "" {
			matches, err := l.versions(f.Matches)
			if err != nil {
				return err
			}
			l.recording.Matches(f.Where, matches)
			continue
		}
		if f.Serial == nil {
			values := make([]int64, len(f.Versions))
			for i, v := range f.Versions {
				var err error
				if values[i], err = l.value(v); err != nil {
					return err
				}
			}
			l.recording.Versions(l.recording.Key(f.Key), values)
			continue
		}
		txns := []int{}
		for _, id := range f.Serial {
			n, ok := l.byID[id]
			if !ok {
				return history.Errorf(l.Path, "the order of transactions names %q, which is none", id)
			}
			txns = append(txns, n)
		}
		l.recording.Serial(txns)
	}
	l.Times = l.Transactions > 0 && l.intervals == l.Transactions
	if l.timed != 0 && l.timed != l.Transactions {
		return history.Errorf(l.Path, "%d of %d transactions have timestamps: all or none need them", l.timed, l.Transactions)
	}
	return nil
}
