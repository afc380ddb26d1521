package states

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// serialOrders judges outcomes under a database's model by those of the serial orders of the
// transactions, which are found by running them: see Program.Serializable. With
// Program.SerialSessions they have to be those of orders of whole sessions. Sessions whose
// transactions a conflict has ended, or that tell their users to try again, are left out of the orders, all of them or some: an
// outcome is judged only where a session that a conflict has ended has committed nothing.
type serialOrders struct {
	ctx     context.Context
	explore func(prog *program.Client, whole bool) iter.Seq2[*work.Found, error]
	mu      sync.Mutex
	orders  map[ordered]*orders
}

// ordered says what serial orders are of.
type ordered struct {
	whole bool   // sessions; else transactions
	out   string // sessions that are left out
}

// orders are the outcomes of all serial orders.
type orders struct{ outcomes, left map[string]bool }

// newSerialOrders is nil for explorations whose outcomes are not judged so: among them those
// of serial orders themselves.
func newSerialOrders(c *Exploration) *serialOrders {
	if _, wanted := c.Prog.Serializable(); !wanted || c.Extent.Bounded && c.Extent.Most == 0 {
		return nil
	}
	return &serialOrders{ctx: c.Ctx, explore: c.ExploreSerial, orders: map[ordered]*orders{}}
}

// judge returns the failure of an outcome that no serial order has.
func (s *serialOrders) judge(prog *program.Client, ends []*behaviour.Node, rows []int32, values []behaviour.ValueID) (*behaviour.Failure, error) {
	seen := seenBy(prog, ends)
	var ended []string // by conflicts, or refused
	for name, one := range seen {
		if one.Conflicts > 0 {
			if one.Committed > 0 {
				return nil, nil
			}
			ended = append(ended, name)
		} else if one.Refused {
			ended = append(ended, name)
		}
	}
	slices.Sort(ended)
	left := leftText(prog, rows, values)
	of, leaves, err := s.orderOf(prog, false, seen, ended, left)
	if err != nil {
		return nil, err
	}
	messages := [2]string{NotLeft, NotSeen}
	if of && prog.SerialSessions() {
		of, leaves, err = s.orderOf(prog, true, seen, ended, left)
		messages = [2]string{NotLeftWhole, NotSeenWhole}
	}
	if of || err != nil {
		return nil, err
	}
	d, _ := prog.Serializable()
	if leaves {
		return d.Failure(messages[1]), nil
	}
	return d.Failure(messages[0]), nil
}

// orderOf reports whether an outcome is that of a serial order without some of the sessions
// that conflicts have ended, and whether one leaves the same at least.
func (s *serialOrders) orderOf(prog *program.Client, whole bool, seen map[string]program.Seen, ended []string, left string) (of, leaves bool, err error) {
	for out := range subsets(ended) {
		all, err := s.without(prog, whole, out)
		if err != nil {
			return false, false, err
		}
		if all.outcomes[observed(prog, seen, out)+left] {
			return true, true, nil
		}
		leaves = leaves || all.left[left]
	}
	return false, leaves, nil
}

// The messages of outcomes that no serial order has. A message says whether it is what is
// left, or only what the sessions observe. It also says whether an order of the transactions
// has the outcome, and only none of the sessions.
const (
	NotLeft      = "no serial order of the transactions leaves what is left"
	NotSeen      = "no serial order of the transactions shows the sessions what they have observed"
	NotLeftWhole = "no order of the sessions, one after another, leaves what is left: one has met another between its transactions"
	NotSeenWhole = "no order of the sessions, one after another, shows them what they have observed: one has met another between its transactions"
)

// seenBy is what the sessions have seen, by name.
func seenBy(prog *program.Client, ends []*behaviour.Node) map[string]program.Seen {
	seen := map[string]program.Seen{}
	for i, end := range ends {
		if i != prog.Final() {
			seen[prog.SessionName(i)] = prog.Seen(end)
		}
	}
	return seen
}

// observed puts what the sessions have observed into words, without those left out.
func observed(prog *program.Client, seen map[string]program.Seen, out []string) string {
	var list []string
	for name, one := range seen {
		if !slices.Contains(out, name) {
			list = append(list, fmt.Sprintf("%s: %s\n", name, unmade(prog, one.Observed)))
		}
	}
	slices.Sort(list)
	return strings.Join(list, "")
}

// leftText puts what is left into words.
func leftText(prog *program.Client, rows []int32, values []behaviour.ValueID) string {
	var list []string
	for _, r := range rows {
		list = append(list, unmade(prog, prog.Storage().Describe(r)))
	}
	for x, v := range values {
		if v != behaviour.NoRow {
			list = append(list, prog.Key(behaviour.VarID(x))+" = "+prog.Format(v))
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// subsets yields the subsets of a list, the empty one first.
func subsets(list []string) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		for set := range 1 << min(len(list), 10) {
			var out []string
			for i, name := range list {
				if set&(1<<i) != 0 {
					out = append(out, name)
				}
			}
			if !yield(out) {
				return
			}
		}
	}
}

// without finds the outcomes of the serial orders without some sessions.
func (s *serialOrders) without(prog *program.Client, whole bool, out []string) (*orders, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := ordered{whole, strings.Join(out, "\x00")}
	if all := s.orders[key]; all != nil {
		return all, nil
	}
	if len(out) > 0 {
		var parts []program.Part
		for _, name := range out {
			parts = append(parts, program.Part{Session: name, Txn: -1})
		}
		var err error
		if prog, err = prog.Without(parts...); err != nil {
			return nil, err
		}
	}
	all := &orders{map[string]bool{}, map[string]bool{}}
	for found, err := range s.explore(prog, whole) {
		if err != nil {
			return nil, err
		}
		left := leftText(prog, found.Rows, found.Values)
		all.left[left] = true
		all.outcomes[observed(prog, seenBy(prog, found.Ends), out)+left] = true
	}
	if s.ctx.Err() != nil {
		return nil, work.ErrStopped
	}
	s.orders[key] = all
	return all, nil
}
