package program

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/txmc/txmc/program/behaviour"
)

// A session must do the same whenever its reads return the same. So complete
// behaviours are run again: the first ones several times, later ones now and then.
// What a session does may depend on which other one ran before it. So known behaviours
// of the other sessions are run between, in changing order.

// DefaultRecheck is what Options.Recheck is by default.
const DefaultRecheck = 16

// rechecks is how often a complete behaviour of a session is run again to see whether
// it repeats. Behaviours are counted from 1, and this is the n-th. The first ones are
// run some times: so the throw of a coin does not go unnoticed. Later ones are run now
// and then. With every < 0 none is.
func rechecks(n, every int) int {
	const first = 16
	switch {
	case every < 0:
		return 0
	case n%every == 0:
		return max(1, first/n)
	}
	return first / n
}

// mixes reports whether a behaviour of another session is run before the n-th is
// run again. Of the later ones that are run again an eighth is mixed, which costs
// little.
func mixes(n, every int) bool { return n <= DefaultRecheck || every < 4 || n/every%8 == 0 }

// keptEnds is how many complete behaviours a session keeps to be run again between
// those of others.
const keptEnds = 4

// keep keeps the end of the n-th behaviour: the first ones, and then the latest in
// their place but the very first.
func (t *tree) keep(end *behaviour.Node) {
	if len(t.ends) < keptEnds {
		t.ends = append(t.ends, end)
		return
	}
	t.ends[1+t.leaves%(keptEnds-1)] = end
}

// recheck runs the behaviour that has just ended at end again.
func (c *Client) recheck(end *behaviour.Node) error {
	if err := c.hasRun(); err != nil {
		return err
	}
	t := &c.trees[end.Session]
	rounds, mixed := c.rounds(t.leaves)
	for i := 0; i < rounds || i == rounds && mixed; i++ {
		after := ""
		others := c.others(int(end.Session))
		switch {
		case len(others) == 0 && i == rounds:
			continue
		case len(others) == 0 || !mixed || i == 0:
		case i%2 == 1:
			if err := c.together(others, end); err != nil {
				return err
			}
			if err := c.afterSeveral(end, i); err != nil {
				return err
			}
			if i%4 == 1 {
				if err := c.between(others, end); err != nil {
					return err
				}
			}
			continue
		default:
			c.mixed++
			other := others[c.mixed%len(others)]
			if err := c.again(other, c.afterSession(end)); err != nil {
				return err
			}
			after = c.afterSession(other)
		}
		if err := c.again(end, after); err != nil {
			return err
		}
	}
	t.keep(end)
	return nil
}

// others are known behaviours of sessions other than the given one.
func (c *Client) others(session int) (list []*behaviour.Node) {
	for i := range c.trees {
		if i != session {
			list = append(list, c.trees[i].ends...)
		}
	}
	return list
}

// again runs the complete behaviour that ends at end; an error says after what.
func (c *Client) again(end *behaviour.Node, after string) error {
	r, err := c.runAlong(end, after, sessionBody)
	if err != nil {
		return err
	}
	r.close()
	return nil
}

// afterSession is what an error says of a run after the one that ends at end.
func (c *Client) afterSession(end *behaviour.Node) string {
	return fmt.Sprintf(", after session %q had run", c.SessionName(int(end.Session)))
}

// afterSessions is what an error says of a run after those that end there.
func (c *Client) afterSessions(ends []*behaviour.Node) string {
	var names []string
	for _, n := range ends {
		names = append(names, strconv.Quote(c.SessionName(int(n.Session))))
	}
	return ", after sessions " + strings.Join(names, " and then ") + " had run"
}

// together runs two complete behaviours in one call of the Explore function, one after the
// other: what the first leaves in captured variables, the second sees. One is the present
// one, the other each of the others by turns, in both orders.
func (c *Client) together(others []*behaviour.Node, end *behaviour.Node) error {
	c.exchanged++
	first, second := others[c.exchanged/2%len(others)], end
	before := c.afterSession(end) // which has run just now
	if c.exchanged%2 == 0 && !second.Abrupt() || first.Abrupt() {
		first, second, before = second, first, ""
	}
	if first.Abrupt() {
		return nil
	}
	after := " in the same call of the Explore function, whose variables they share"
	r, err := c.runAlong(second, c.afterSession(first)+after, func(r *run) {
		if r.follows(first, before) {
			sessionBody(r)
		}
	})
	if err != nil {
		return err
	}
	r.close()
	return nil
}

// mostBefore is how many sessions run before another one in one call of the Explore function.
const mostBefore = 4

// afterSeveral runs a session, or the Finals, in a call of the Explore function in which several
// sessions have run, in changing order: what these leave in captured variables together it must
// not look at. One behaviour is the present one, the others are known ones by turns. Most
// behaviours do so in their first round only, and of the later ones each fourth.
func (c *Client) afterSeveral(end *behaviour.Node, round int) error {
	own, final := int(end.Session), c.Final()
	if n := c.trees[own].leaves; n > 4 && n%4 > 0 || round > 1 && (own != final || round > 8) {
		return nil
	}
	sessions := len(c.shape.sessions)
	turns, last := &c.several, end
	if final >= 0 && (own == final || sessions < 3 || c.beforeFinals <= c.several) {
		if turns = &c.beforeFinals; own != final {
			last = c.known(final, *turns)
		}
	}
	turn := *turns
	*turns++
	if last == nil {
		return nil
	}
	var before []*behaviour.Node
	for i := range sessions {
		session := (turn + i) % sessions
		n := c.known(session, turn)
		if session == own {
			n = end
		}
		if session != int(last.Session) && n != nil && !n.Abrupt() && len(before) < mostBefore {
			before = append(before, n)
		}
	}
	if len(before) < 2 { // then together has run that one before it
		return nil
	}
	if turn/sessions%2 == 1 {
		slices.Reverse(before)
	}
	after := " in the same call of the Explore function, whose variables they share"
	r, err := c.runAlong(last, c.afterSessions(before)+after, func(r *run) {
		for _, n := range before {
			if !r.follows(n, "") {
				return
			}
		}
		sessionBody(r)
	})
	if err != nil {
		return err
	}
	r.close()
	return nil
}

// known is a known behaviour of that session, another one in each turn; nil when there is none.
func (c *Client) known(session, turn int) *behaviour.Node {
	ends := c.trees[session].ends
	if len(ends) == 0 {
		return nil
	}
	return ends[turn/(session+1)%len(ends)] // in other combinations
}

// follows runs the complete behaviour that ends at end, of another session, in r's call of the
// Explore function and on its goroutine. It reports whether that has been as before; an error
// says after what.
func (r *run) follows(end *behaviour.Node, after string) bool {
	c := r.client
	b := &run{client: c, session: int(end.Session), program: r.program, root: r.root}
	b.yield, b.leaveBehind, b.repeats, b.declared = r.yield, r.leaveBehind, r.repeats, r.declared
	b.along(end)
	b.after = after
	r.before = b
	c.running.Store(b) // since r runs, by the clock outside
	defer func() {
		c.running.Store(r)
		r.goesOn()
	}()
	defer b.release()
	sessionBody(b)
	b.dead.Store(true)
	return b.err.Load() == nil
}

// judgedOutcome is a complete history with the judgement of an invariant.
type judgedOutcome struct {
	ends  []*behaviour.Node
	index int // of the invariant
	fails bool
}

// rejudge calls the invariant again: first on a history that it judged earlier, and then
// on the one that it has just judged. Its verdict may depend on nothing else than the
// history. That is done for the first histories, and later now and then.
func (c *Client) rejudge(now judgedOutcome) error {
	c.judgements++
	n, every := c.judgements, 4*c.opts.Recheck
	if every < 0 || n > DefaultRecheck && every > 4 && n%every != 0 {
		return nil
	}
	list := []judgedOutcome{now}
	if k := len(c.judged); k > 0 {
		list = []judgedOutcome{now, c.judged[n%k], now}
	}
	for _, j := range list {
		failure, err := c.judge(j.ends, j.index)
		if err != nil {
			return err
		}
		if (failure != nil) != j.fails {
			return c.fickle(j, "in another")
		}
	}
	if n <= DefaultRecheck || every <= 4 || bits.OnesCount(uint(n)) == 1 { // as it runs every session
		if err := c.judgeTogether(now); err != nil {
			return err
		}
	}
	if len(c.judged) < keptEnds {
		c.judged = append(c.judged, now)
	} else {
		c.judged[n%keptEnds] = now
	}
	return c.hasRun()
}

// judgeTogether calls the invariant again in a call of the Explore function in which the
// sessions have run: what they leave in captured variables it must not look at.
func (c *Client) judgeTogether(now judgedOutcome) error {
	sessions := slices.DeleteFunc(slices.Clone(now.ends), (*behaviour.Node).Abrupt)
	if c.judgements%2 == 0 {
		slices.Reverse(sessions)
	}
	failure, err := c.judgeAfter(sessions, now.ends, now.index)
	if err != nil {
		return err
	}
	if (failure != nil) != now.fails {
		return c.fickle(now, "after the sessions had run in the same call of the Explore function")
	}
	return nil
}

// fickle reports an invariant that judges a history twice and differently.
func (c *Client) fickle(j judgedOutcome, when string) error {
	was, is := "held", "failed"
	if j.fails {
		was, is = is, was
	}
	d := c.shape.invariants[j.index]
	c.report(&behaviour.Error{Kind: behaviour.Nondeterminism, Program: c.Name, At: c.Location(d.loc), Message: fmt.Sprintf(
		"invariant %q is not deterministic: of the same history it %s in one call and %s %s; "+
			"it may depend on the outcome only (s.Observe tells it what a session saw), not on map order, time, random numbers, what it has seen before, captured or package variables", d.name, was, is, when)})
	return c.Err()
}
