package realtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// When is a step over? When every action in flight has returned, or is blocked,
// and the deadlock check of each new wait is over. A client cannot see when a
// woken statement has begun to run. So with several in flight two looks in a row
// have to agree.

const (
	firstLook  = 300 * time.Microsecond
	nextLook   = 150 * time.Microsecond
	settleTime = 20 * time.Second // then the server hangs
)

// Settle waits until each action that was sent has returned or is blocked.
func (pg *Postgres) Settle(ctx context.Context) (out []Reply, err error) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	take := func(r Reply) {
		out = append(out, r)
		pg.busy[r.Session] = false
		err = errors.Join(err, r.Err)
	}
	for _, r := range pg.early {
		take(r)
	}
	pg.early = nil
	look, quiet := firstLook, 0
	for err == nil && pg.inFlight() > 0 {
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case r := <-pg.replies:
			take(r)
			quiet = 0
			continue
		case <-time.After(look):
		}
		look = nextLook
		stable, err := pg.blocked(ctx)
		switch {
		case err != nil:
			return out, err
		case !stable:
			quiet = 0
			continue
		}
		if quiet++; quiet < 2 && pg.inFlight() > 1 {
			continue
		}
		if !pg.newWaits() {
			break
		}
		time.Sleep(checkTime)
		quiet = 0
	}
	return out, err
}

func (pg *Postgres) inFlight() (n int) {
	for _, b := range pg.busy {
		if b {
			n++
		}
	}
	return n
}

// newWaits reports whether somebody waits whose deadlock check may not be over,
// and takes it for over from now on.
func (pg *Postgres) newWaits() (found bool) {
	for s, b := range pg.busy {
		if b && !pg.checked[s] {
			pg.checked[s], found = true, true
		}
	}
	return found
}

// blocked reports whether every action in flight is blocked, and nobody waits for
// himself: a cycle ends with the deadlock check of a member.
func (pg *Postgres) blocked(ctx context.Context) (bool, error) {
	var asked []string
	for session := range pg.lines {
		asked = append(asked, fmt.Sprintf("(pg_blocking_pids(%[1]d) || pg_safe_snapshot_blocking_pids(%[1]d))::text", pg.line(session).conn.PID()))
	}
	res, err := pg.monitor.Exec(ctx, "SELECT "+strings.Join(asked, ", ")).ReadAll()
	if err != nil {
		return false, err
	}
	edges := make([]uint64, len(pg.lines))
	for s, text := range res[0].Rows[0] {
		if !pg.busy[s] {
			continue
		}
		list := strings.Trim(string(text), "{}")
		if list == "" {
			return false, nil
		}
		for pid := range strings.SplitSeq(list, ",") {
			edges[s] |= pg.sessionOf(pid)
		}
	}
	return !cyclic(edges), nil
}

// sessionOf is the set of the session with this process id.
func (pg *Postgres) sessionOf(pid string) uint64 {
	n, err := strconv.ParseUint(pid, 10, 32)
	for session := range pg.lines {
		if err == nil && pg.line(session).conn.PID() == uint32(n) {
			return 1 << session
		}
	}
	return 0
}

// cyclic reports whether a graph has a cycle; edges are sets of successors.
func cyclic(edges []uint64) bool {
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
			return true
		}
	}
	return false
}
