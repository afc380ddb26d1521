package sqltest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Symmetry under the models of databases, against the same engine without it.
// Permutations make outcomes of those that are found. These are all outcomes, each
// once.

// execution is an outcome: the answers of each session, and the rows that are left.
type execution struct {
	sessions []string
	left     string
	orbit    int64
	failures string
}

func executionOf(c *program.Client, f *dpor.Found) execution {
	var e execution
	for _, end := range f.Ends {
		text := fmt.Sprint("past ", end.Past)
		for _, n := range end.Path() {
			if end.Past != 0 {
				break
			}
			text += fmt.Sprint(" ", n.Value())
		}
		e.sessions = append(e.sessions, text)
	}
	values := slices.Clone(f.Values)
	for len(values) > 0 && values[len(values)-1] == behaviour.NoRow {
		values = values[:len(values)-1]
	}
	var names []string
	for _, failure := range f.Failures {
		names = append(names, failure.Name)
	}
	e.left, e.orbit, e.failures = fmt.Sprint(values, f.Rows), f.Orbit, fmt.Sprint(names)
	return e
}

// as is the text of the execution in which session s takes the place to[s].
func (e execution) as(to []int) string {
	moved := make([]string, len(e.sessions))
	for s, text := range e.sessions {
		moved[to[s]] = text
	}
	return strings.Join(moved, "\n") + "\n" + e.left + "\n" + e.failures
}

// images are those of an execution under the permutations of sets.
func (e execution) images(sets [][]int) map[string]bool {
	to := make([]int, len(e.sessions))
	for s := range to {
		to[s] = s
	}
	out := map[string]bool{}
	var permute func(i, k int)
	permute = func(i, k int) {
		switch {
		case i == len(sets):
			out[e.as(to)] = true
		case k == len(sets[i]):
			permute(i+1, 0)
		default:
			for j := k; j < len(sets[i]); j++ {
				a, b := sets[i][k], sets[i][j]
				to[a], to[b] = to[b], to[a]
				permute(i, k+1)
				to[a], to[b] = to[b], to[a]
			}
		}
	}
	permute(0, 0)
	return out
}

// executions are the outcomes that an exploration finds.
func executions(c *program.Client, opts dpor.Options) (list []execution, stats dpor.Stats, err error) {
	opts.All, opts.List = true, true
	x := dpor.Explore(context.Background(), c, opts)
	for f, err := range x.Histories() {
		if err != nil {
			return nil, stats, err
		}
		list = append(list, executionOf(c, f))
	}
	return list, x.Stats(), nil
}

// coverExecutions compares what an exploration up to symmetry has found with all.
func coverExecutions(some, all []execution, stats, without dpor.Stats) error {
	left := map[string]bool{}
	var same []int
	for _, e := range all {
		if same == nil {
			for s := range e.sessions {
				same = append(same, s)
			}
		}
		left[e.as(same)] = true
	}
	y := stats.Symmetry
	switch {
	case !stats.Complete || !without.Complete:
		return fmt.Errorf("not complete: %v, %v", stats.Stopped, without.Stopped)
	case len(left) != len(all) || int64(len(all)) != without.Histories || int64(len(some)) != stats.Histories:
		return fmt.Errorf("%d of %d outcomes are different, %d counted; %d and %d up to symmetry", len(left), len(all), without.Histories, len(some), stats.Histories)
	case y.Histories != without.Histories || y.Violations != without.Violations:
		return fmt.Errorf("%d outcomes and %d violations by orbits, want %d and %d", y.Histories, y.Violations, without.Histories, without.Violations)
	}
	again := len(y.Off) > 0 // what was handed on before has another orbit
	for _, e := range some {
		images := e.images(y.Sets)
		for text := range images {
			if !left[text] {
				return fmt.Errorf("an image is no outcome, or comes twice:\n%s", text)
			}
			delete(left, text)
		}
		if e.orbit != int64(len(images)) && !again {
			return fmt.Errorf("an orbit of %d outcomes is said to have %d", len(images), e.orbit)
		}
	}
	for text := range left {
		return fmt.Errorf("%d outcomes are in no orbit, such as\n%s", len(left), text)
	}
	return nil
}

// met names the transactions that meet errors, and those that wait.
func met(stats dpor.Stats) string {
	names := func(list []*behaviour.Node) (out []string) {
		for _, n := range list {
			out = append(out, fmt.Sprint(n.Session, ".", n.Txn))
		}
		return out
	}
	text := fmt.Sprint("waits ", names(stats.Waits))
	for _, e := range stats.Errors {
		text += fmt.Sprint(" ", e.Code, e.Commit, names(e.At))
	}
	return text
}

// Symmetric explores a program with and without symmetry, and compares. Options have the
// level, and not Symmetric.
func Symmetric(c *program.Client, opts dpor.Options, sets [][]int) (stats, without dpor.Stats, err error) {
	defer c.Park()
	all, without, err := executions(c, opts)
	if err != nil {
		return stats, without, err
	}
	opts.Symmetric = sets
	some, stats, err := executions(c, opts)
	if err != nil {
		return stats, without, err
	}
	if some, all := met(stats), met(without); some != all {
		return stats, without, fmt.Errorf("errors and waits are met at %s, want %s", some, all)
	}
	return stats, without, coverExecutions(some, all, stats, without)
}

// SymmetricInPieces is Symmetric where the exploration with symmetry stops after a few
// outcomes, and another client goes on, again and again.
func SymmetricInPieces(client func() (*program.Client, error), opts dpor.Options, sets [][]int, r *rand.Rand) (stats, without dpor.Stats, pieces int, err error) {
	var some []execution
	var last *dpor.Frontier
	opts.Checkpoint = Decoded(&last)
	for {
		c, err := client()
		if err != nil {
			return stats, without, pieces, err
		}
		piece := opts
		piece.Symmetric, piece.Workers, piece.Resume, piece.MaxHistories = sets, 1+r.IntN(2), last, int64(1+r.IntN(4))
		if last != nil {
			piece.MaxHistories += last.Counts.Histories
		}
		list, stats, err := executions(c, piece)
		if pieces++; err != nil {
			return stats, without, pieces, err
		}
		some = append(some, list...)
		if !stats.Complete {
			c.Park()
			continue
		}
		all, without, err := executions(c, dpor.Options{Level: opts.Level, Workers: 1, Selection: dpor.Selection{NoRaces: opts.NoRaces}}) // with the same numbers
		if c.Park(); err == nil {
			err = coverExecutions(some, all, stats, without)
		}
		return stats, without, pieces, err
	}
}
