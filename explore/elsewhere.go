package explore

import (
	"context"
	"errors"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// An exploration that other processes do, in parts. This process asks for it, and where
// sessions are alike it joins what the parts have met: only client code can tell.

// Elsewhere explores a program at a level in other processes. It returns when they have
// explored all of it, or as much as there was time for.
type Elsewhere func(ctx context.Context, q *Question) (*Answer, error)

// TypeElsewhere is the type of a [Question].
const TypeElsewhere = "elsewhere"

// Question asks for an exploration in other processes.
type Question struct {
	Type string      `json:"type"` // "elsewhere"
	From *Checkpoint `json:"from"`
	// Symmetric are the sets of sessions that are taken for alike. What the parts find then
	// is reported when the exploration ends, or a Question that does not begin Again.
	Symmetric [][]int `json:"symmetric,omitempty"`
	// Again: what was found before does not count, as two sessions differ.
	Again bool `json:"again,omitempty"`
	// Off is what has told sessions apart, for checkpoints.
	Off []string `json:"off,omitempty"`
	// Needed is a directory that the program needs where it runs.
	Needed *program.Needed `json:"needed,omitempty"`
}

// Answer is what an exploration in other processes has come to.
type Answer struct {
	Checkpoint Checkpoint `json:"checkpoint"`
	// Stopped says why what is left is not explored. If it is "", this process explores
	// it.
	Stopped work.Reason `json:"stopped,omitempty"`
	// Apart is what has told two sessions apart, in a part.
	Apart *program.Difference `json:"apart,omitempty"`
	// Error is an error of the program, or of the cluster.
	Error *report.Error `json:"error,omitempty"`
}

// ElsewhereError is an error that another process has met.
type ElsewhereError struct{ Line *report.Error }

// Error is the message of the line.
func (e *ElsewhereError) Error() string { return e.Line.Message }

// elsewhere lets other processes explore, if there are any. What they have come to is
// where the exploration goes on. It returns their error, too.
func (r *Run) elsewhere(ctx context.Context, client *program.Client, opts *dpor.Options, from *Checkpoint, a *alike) (at *Checkpoint, failed error, err error) {
	if r.Elsewhere == nil || !dpor.Divisible(client, opts.Level) {
		if from != nil && from.Alike != nil && len(from.Alike.Sets) > 0 {
			return nil, nil, &work.MisfitError{Why: "a cluster has taken sessions for alike, with which one process cannot go on: resume it on a cluster, which may be embedded"}
		}
		return from, nil, nil
	}
	off, err := alikeElsewhere(opts, from, a)
	if err != nil {
		return nil, nil, err
	}
	place := Place{client.Name, opts.Level.String()}
	if from == nil {
		from = &Checkpoint{Type: TypeCheckpoint, Place: place}
	}
	q := &Question{Type: TypeElsewhere, From: from, Symmetric: opts.Symmetric}
	var answer *Answer
	for q != nil {
		opts.Symmetric, q.Off, q.Needed = q.Symmetric, off, client.Needed()
		stop := r.size(ctx, client, *opts, q.From)
		answer, err = r.Elsewhere(ctx, q)
		if stop(); err != nil {
			return nil, nil, err
		}
		var d *program.Difference
		if q, d, err = answer.joined(client, q); err != nil {
			return nil, nil, err
		}
		if d != nil {
			off = append(off, r.different(d))
			q = &Question{Type: TypeElsewhere, From: &Checkpoint{Type: TypeCheckpoint, Place: place}, Symmetric: orbit.Separate(opts.Symmetric, d), Again: true}
		}
	}
	if f := answer.Checkpoint.Frontier; f != nil && f.Symmetry != nil {
		f.Symmetry.Off = off
	} else {
		a.off = append(a.off, off...)
	}
	opts.Halted = answer.Stopped
	if answer.Error != nil {
		opts.Halted, failed = work.ByError, &ElsewhereError{answer.Error}
	}
	return &answer.Checkpoint, failed, nil
}

// alikeElsewhere sets the sessions that other processes take for alike, and returns what has
// told sessions apart before.
func alikeElsewhere(opts *dpor.Options, from *Checkpoint, a *alike) (off []string, err error) {
	switch {
	case from != nil && from.Alike != nil:
		opts.Symmetric = from.Alike.Sets
		return from.Alike.Off, nil
	case from != nil && from.Frontier != nil && from.Frontier.Symmetry != nil:
		return nil, &work.MisfitError{Why: "one process has taken sessions for alike, with which a cluster cannot go on: resume it without one"}
	case len(opts.Symmetric) == 0:
	case from != nil:
		opts.Symmetric, a.off = nil, append(a.off, "it was begun without symmetry: all histories are explored")
	}
	return nil, nil
}

// different says how two sessions differ, and what to do when memory was too small to compare
// them.
func (r *Run) different(d *program.Difference) string {
	if d.What == dpor.GivenUp {
		return d.What + ": allow more with " + r.named("max-tree-bytes", "")
	}
	return d.What
}

// joined looks at what parts up to symmetry have come to: whether two sessions differ, or
// another pass is to be asked for.
func (a *Answer) joined(client *program.Client, q *Question) (next *Question, apart *program.Difference, err error) {
	f := a.Checkpoint.Frontier
	switch {
	case a.Error != nil || a.Apart == nil && (f == nil || f.Symmetry == nil):
		return nil, nil, nil
	case a.Apart != nil:
		return nil, a.Apart, nil
	case a.Stopped == "" && len(f.Subtrees) > 0: // this process explores, from the beginning
		a.Checkpoint.Frontier, a.Checkpoint.Groups, a.Checkpoint.Alike = nil, nil, nil
		return nil, nil, nil
	}
	j := dpor.Joined{}
	if a.Stopped == "" {
		if j, err = dpor.Join(client, f); err != nil || j.Apart != nil {
			return nil, j.Apart, err
		}
	}
	if j.Pass != nil {
		at := a.Checkpoint
		at.Frontier, at.Alike = j.Pass, nil
		return &Question{Type: TypeElsewhere, From: &at, Symmetric: q.Symmetric}, nil, nil
	}
	f.Symmetry.Parts, f.Symmetry.Met = nil, nil // they have been looked at
	return nil, nil, nil
}

// lineOf is the line of an error that another process has met; nil for other errors.
func lineOf(err error) *report.Error {
	var e *ElsewhereError
	if errors.As(err, &e) {
		return e.Line
	}
	return nil
}
