package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// ledger is what a coordinator knows of an exploration: what has been counted, the tasks
// that are open, and the subtrees that no task has yet. It has no clock, no network and
// no disk: its state follows from the calls of its methods.
//
// At each moment the counts, the open tasks and the subtrees that are left make up the
// whole exploration, each history once (checkpoint).
type ledger struct {
	at     explore.Place
	limit  int64 // of histories; 0: none
	whole  dpor.Frontier
	groups []explore.Group
	errors []report.Expected // of the database
	taskPool
	sessionSets
	ending
	tally
}

// taskPool is what is left to do, and the tasks that it is done in.
type taskPool struct {
	pool    []work.Subtree // that are in no task; the last are the deepest
	begun   bool           // the first part is done: it says which engine explores
	open    map[string]*task
	fresh   []*task // that are open and were not given
	number  int     // of the task given last
	regions int     // that have been made
}

// sessionSets says which sessions are alike.
type sessionSets struct {
	symmetric [][]int             // sets of sessions that are taken for alike
	apart     *program.Difference // what has told two of them apart
	off       []string            // what has done so before
}

// ending is why nothing more is given or taken.
type ending struct {
	stopped work.Reason   // why what is left is not explored
	failed  *report.Error // of the program
	local   bool          // what is left is for the coordinator alone
	final   bool          // what tasks have come to is all that there will be
}

// tally is what came of the tasks.
type tally struct {
	taken   int           // results that counted
	dropped int           // results that did not
	busy    time.Duration // that workers were at tasks whose results counted
}

// newLedger begins an exploration, or goes on with one.
func newLedger(from *explore.Checkpoint, limit int64, number int) *ledger {
	l := &ledger{at: from.Place, limit: limit, taskPool: taskPool{open: map[string]*task{}, number: number}, groups: from.Groups, errors: from.Errors}
	if f := from.Frontier; f != nil {
		l.whole = *f
		if !f.Untouched {
			l.begun, l.pool, l.whole.Subtrees = true, slices.Clone(f.Regions()), nil
		}
	}
	l.advance()
	return l
}

// over reports whether nothing more is to be given or taken.
func (l *ledger) over() bool {
	return l.stopped != "" || l.failed != nil || l.local || l.apart != nil || l.begun && len(l.pool) == 0 && len(l.open) == 0
}

// mostSubtrees is how many subtrees a task has at most.
const mostSubtrees = 64

// give makes tasks until so many are open, and returns those that were not given yet.
func (l *ledger) give(open int) []*task {
	l.sort()
	for !l.over() && len(l.open) < open && l.more(open) {
	}
	made := l.fresh
	l.fresh = nil
	if l.over() {
		return nil
	}
	return made
}

// more opens another task; false when it has to wait for a result.
func (l *ledger) more(open int) bool {
	switch {
	case !l.begun && len(l.open) == 0:
		l.divide(l.add(nil, 0))
	case !l.begun || len(l.pool) == 0:
		return false
	case l.divisible() && l.regions < regionsEach*open:
		l.divide(l.add(l.draw(1), 0))
	default:
		l.add(l.draw(min(mostSubtrees, 1+len(l.pool)/(4*open))), 0)
	}
	return true
}

// divide makes the task divide its region, if the program is on a database.
func (l *ledger) divide(t *task) { t.Order.Divide = small }

const (
	// regionsEach is how many regions there are to be for each open task. With fewer they
	// are divided: how large one is becomes known only at its end.
	regionsEach = 8
	// small is how many states a region has that is not divided any more.
	small = 2048
)

// divisible reports whether regions can be divided: each takes along what was known at
// the beginning.
func (l *ledger) divisible() bool {
	const most = 4 << 20
	m := l.whole.Memory
	return l.whole.Engine == dpor.States && (m == nil || len(m.Seen) <= most)
}

// sort puts the regions with most beginnings first: draw takes them first.
func (l *ledger) sort() {
	if l.whole.Engine == dpor.States {
		slices.SortStableFunc(l.pool, func(a, b work.Subtree) int { return cmp.Compare(len(b.Inner), len(a.Inner)) })
	}
}

// draw takes n subtrees off the pool. It takes the largest while there are few
// subtrees: they make most work for others. It takes the smallest when there are many:
// then they become fewer.
func (l *ledger) draw(n int) (list []work.Subtree) {
	const many = 4096
	if len(l.pool) > many || n == len(l.pool) {
		list = slices.Clone(l.pool[len(l.pool)-n:])
		l.pool = l.pool[:len(l.pool)-n]
		return list
	}
	list = slices.Clone(l.pool[:n])
	l.pool = slices.Delete(l.pool, 0, n)
	return list
}

// add opens a task; without subtrees it begins the exploration.
func (l *ledger) add(subtrees []work.Subtree, tries int) *task {
	l.number++
	t := &task{Tries: tries, Order: explore.Order{ID: strconv.Itoa(l.number), Place: l.at}}
	if l.begun {
		t.Order.Frontier = l.whole.Of(subtrees)
	} else {
		t.Order.Symmetric = l.symmetric
	}
	if l.limit > 0 {
		t.Order.MaxHistories = max(1, l.limit-l.whole.Counts.Histories)
	}
	l.open[t.Order.ID] = t
	l.fresh = append(l.fresh, t)
	return t
}

// mostTries is how often a task may end the process that explores it.
const mostTries = 3

// receive takes a result, if its task is open, and returns the lines that it adds to the
// report.
func (l *ledger) receive(r *result) []json.RawMessage {
	t := l.open[r.ID]
	if t == nil || l.over() {
		l.dropped++
		return nil
	}
	part := r.Part
	switch {
	case r.Error != nil:
		l.failed = r.Error
		return nil
	case part == nil:
		l.crashed(t, r)
		return nil
	case part.Frontier != nil && part.Frontier.Symmetry != nil && part.Frontier.Symmetry.Apart != nil:
		l.apart = part.Frontier.Symmetry.Apart
		return nil
	case part.Frontier == nil:
		l.reopen(t, t.Order.Divide > 0)
		return nil
	case part.Frontier.Partial && part.Stopped == work.ByMaxHistories:
		l.local = true
		return nil
	case part.Frontier.Partial && part.Stopped != work.ByViolation && !l.final:
		l.reopen(t, true)
		return nil
	case l.limit > 0 && l.whole.Counts.Histories+part.Frontier.Counts.Histories > l.limit:
		l.local = true // who has the limit counts the last ones
		return nil
	}
	delete(l.open, r.ID)
	l.taken++
	l.busy += r.Busy
	left := l.whole.Take(part.Frontier)
	if part.Frontier.Untouched {
		return nil // the first part is given again
	}
	if part.Frontier.Partial {
		left = t.subtrees()
	}
	l.begun = true
	l.pool, l.regions = append(l.pool, left...), l.regions+len(left)
	l.groups, l.errors = explore.Join(l.groups, part.Groups), explore.JoinErrors(l.errors, part.Errors)
	if part.Stopped == work.ByViolation {
		l.stopped = part.Stopped
	}
	l.advance()
	return r.Lines
}

// advance begins the next pass of the serial engine when one has ended.
func (l *ledger) advance() {
	if l.begun && len(l.pool) == 0 && len(l.open) == 0 && l.stopped == "" && l.whole.NextPass() {
		l.pool, l.whole.Subtrees = l.whole.Subtrees, nil
	}
}

// reopen makes another task of one that nobody has begun, or that has come to nothing
// that counts.
func (l *ledger) reopen(t *task, divide bool) {
	delete(l.open, t.Order.ID)
	switch {
	case t.Order.Frontier == nil:
		return // the beginning is given again
	case divide:
		for _, sub := range t.subtrees() {
			l.divide(l.add([]work.Subtree{sub}, t.Tries))
		}
	default:
		l.add(t.subtrees(), t.Tries)
	}
}

// subtrees are those of a task.
func (t *task) subtrees() []work.Subtree {
	if f := t.Order.Frontier; f != nil {
		return f.Subtrees
	}
	return states.Everything()
}

// crashed handles a task that has ended its process. It makes a task of each of its subtrees:
// so it becomes known which subtree ends processes. A task that has done so again and again is
// an error.
func (l *ledger) crashed(t *task, r *result) {
	delete(l.open, t.Order.ID)
	if t.Tries+1 >= mostTries {
		l.failed = &report.Error{
			Type: report.TypeError, Schema: report.Schema, Program: l.at.Program, Iso: l.at.Iso, Kind: "exited",
			Message: fmt.Sprintf("task %s (%s) has ended the process that explores it %d times, the last time on worker %s: %s", t.Order.ID, t.subtree(), mostTries, r.Worker, r.Crash),
		}
		return
	}
	if t.Order.Frontier == nil {
		l.add(nil, t.Tries+1)
		return
	}
	for _, sub := range t.Order.Frontier.Subtrees {
		l.add([]work.Subtree{sub}, t.Tries+1)
	}
}

// subtree names what a task explores.
func (t *task) subtree() string {
	f := t.Order.Frontier
	switch {
	case f == nil || len(f.Subtrees) == 0:
		return "the beginning"
	case len(f.Subtrees) > 1:
		return fmt.Sprintf("%d subtrees", len(f.Subtrees))
	}
	data, err := json.Marshal(f.Subtrees[0])
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("subtree %.200s", data)
}

// checkpoint is the whole exploration as another process can go on with it; without a
// frontier while nothing has begun.
func (l *ledger) checkpoint(elapsed time.Duration) explore.Checkpoint {
	c := explore.Checkpoint{Type: explore.TypeCheckpoint, Place: l.at, Groups: l.groups, Errors: l.errors}
	if !l.begun {
		return c
	}
	f := l.whole
	f.Elapsed += elapsed
	f.Subtrees = slices.Clone(l.pool)
	for _, id := range l.ids() {
		f.Subtrees = append(f.Subtrees, l.open[id].Order.Frontier.Subtrees...)
	}
	c.Frontier = &f
	return c
}

// ids are the open tasks, the oldest first.
func (l *ledger) ids() []string {
	return slices.SortedFunc(maps.Keys(l.open), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}
