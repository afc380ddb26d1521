package proxy

import (
	"slices"
	"time"

	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/report"
)

// When is a step over? When each statement that was sent has been answered, or waits for
// a lock, and the look for deadlocks that follows each new wait is over. A client cannot
// see when a woken statement has begun to run. So with several woken statements two looks
// in a row have to agree.

const (
	firstLook = 300 * time.Microsecond
	nextLook  = 150 * time.Microsecond
	slowLook  = 5 * time.Millisecond // after a while
)

// settle waits until each statement that was sent has been answered or waits for a lock,
// and lets the sessions go on that have an answer.
func (x *execution) settle() error {
	look, quiet, since := firstLook, 0, time.Now()
	for x.inFlight() > 0 {
		select {
		case <-x.ctx.Done():
			return x.ctx.Err()
		case r := <-x.replies:
			if err := x.receive(r); err != nil {
				return err
			}
			quiet, since = 0, time.Now()
			continue
		case <-time.After(look):
		}
		if look = nextLook; time.Since(since) > 20*x.check {
			look = slowLook
		}
		free, err := x.running()
		switch {
		case err != nil:
			return err
		case free >= 0 && time.Since(since) > x.limit:
			return x.late(free)
		case free >= 0:
			quiet = 0
			continue
		}
		if quiet++; quiet < 2 && x.inFlight() > 1 {
			continue
		}
		if !x.newWaits() {
			return nil
		}
		if x.quick {
			time.Sleep(x.check)
		}
		quiet = 0
	}
	return nil
}

func (x *execution) inFlight() (n int) {
	for i := range x.sessions {
		if x.sessions[i].busy {
			n++
		}
	}
	return n
}

// newWaits reports whether a session waits that may not have been looked at for a
// deadlock, and takes it for looked at from then on.
func (x *execution) newWaits() (found bool) {
	for i := range x.sessions {
		if s := &x.sessions[i]; s.busy && !s.checked {
			s.checked, found = true, true
			x.waits(i)
		}
	}
	return found
}

// running returns a session whose statement runs, or waits for itself in a circle that
// the server is to break. It returns -1 when all statements that were sent wait for
// others.
func (x *execution) running() (int, error) {
	var busy []int
	var links []Link
	var sent []*access.Sent
	for i := range x.sessions {
		if s := &x.sessions[i]; s.busy {
			busy, links, sent = append(busy, i), append(links, s.link), append(sent, s.node.Sent)
		}
	}
	waits, err := x.db.Waits(x.ctx, links, sent)
	if err != nil {
		return -1, x.lostServer(err)
	}
	edges := make([]uint64, len(x.sessions))
	for k, i := range busy {
		if waits[k] == nil {
			return i, nil
		}
		for _, id := range waits[k] {
			edges[i] |= x.waiterOf(id)
		}
	}
	return onCircle(edges), nil
}

// lostServer is the error of the proxy's own connection.
func (x *execution) lostServer(err error) error {
	if ctx := x.ctx.Err(); ctx != nil {
		return ctx
	}
	for i := range x.sessions {
		if x.sessions[i].busy {
			return x.lost(i, err)
		}
	}
	return err
}

// sessionOf is the set of the session whose connection has that ID.
func (x *execution) sessionOf(id string) uint64 {
	for i := range x.sessions {
		found := false
		x.sessions[i].each(func(c *connection) { found = found || c.link.ID() == id })
		if found {
			return 1 << i
		}
	}
	return 0
}

// waiterOf is sessionOf for a connection whose statement has no answer: one that is idle is in
// no circle that the server sees.
func (x *execution) waiterOf(id string) uint64 {
	for i := range x.sessions {
		if s := &x.sessions[i]; s.busy && s.link.ID() == id {
			return 1 << i
		}
	}
	return 0
}

// blockers are the names of the sessions for which a session waits.
func (x *execution) blockers(i int) (names []string) {
	ids, err := x.db.Blockers(x.ctx, x.sessions[i].link)
	if err != nil {
		return nil
	}
	for _, id := range ids {
		name := "process " + id
		for j := range x.sessions {
			switch {
			case x.sessionOf(id) != 1<<j:
			case j == i:
				name = report.Itself
			default:
				name = x.client.SessionName(j)
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// onCircle returns a node from which a way leads back to it, -1 when there is none; edges
// are sets of successors.
func onCircle(edges []uint64) int {
	for i := range edges {
		reached := edges[i]
		for range edges {
			for j := range edges {
				if reached>>j&1 == 1 {
					reached |= edges[j]
				}
			}
		}
		if reached>>i&1 == 1 {
			return i
		}
	}
	return -1
}
