// At SER the outcomes of the examples are those of all serial orders of their
// transactions, run on PostgreSQL with its own storage.

package pg_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/dpor/sqltest/brute"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/testdata/sqlcoupon"
	"github.com/txmc/txmc/testdata/sqlorder"
	"github.com/txmc/txmc/testdata/sqlpayment"
	"github.com/txmc/txmc/testdata/sqlpool"
	"github.com/txmc/txmc/testdata/sqlqueue"
	"github.com/txmc/txmc/testdata/sqlseats"
	"github.com/txmc/txmc/testdata/sqltransfers"
	"github.com/txmc/txmc/testdata/sqlusername"
)

var examples = []func(*program.Program){
	sqlcoupon.ExploreRedeem, sqlcoupon.ExploreRedeemLocked, sqlcoupon.ExploreRedeemCounted, sqlorder.ExploreOrder, sqlorder.ExploreOrderGuarded,
	sqlpayment.ExplorePay, sqlpayment.ExplorePayOnce, sqlpool.ExploreVotes, sqlqueue.ExploreTake, sqlqueue.ExploreTakeLocked,
	sqlseats.ExploreReserve, sqlseats.ExploreReserveLocked, sqltransfers.ExploreTransfer, sqltransfers.ExploreAdd,
	sqlusername.ExploreChecked, sqlusername.ExploreUnique,
}

func TestExamplesInSerialOrders(t *testing.T) {
	t.Parallel()
	for i, f := range examples {
		if i%deadlinetest.Of(4, 12) > 0 && !*long {
			continue
		}
		name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
		t.Run(name[strings.LastIndexByte(name, '/')+1:], func(t *testing.T) {
			t.Parallel()
			brute.Compare(t, "ser", sqltest.Explore(t, f, isolation.SER).Outcomes, serially(t, f))
		})
	}
}

// serially returns what all serial orders of a program's transactions can observe.
func serially(t *testing.T, f func(*program.Program)) map[string]bool {
	t.Helper()
	s := &pg.Plain{}
	c := sqltest.NewClient(t, func(p *program.Program) {
		f(p)
		if err := s.Attach(p); err != nil {
			t.Error(err)
		}
	}, program.Options{Recheck: -1})
	defer s.Close()
	defer c.Park()
	seen, runs := map[string]bool{}, 0
	for order, more := []int(nil), true; more; {
		if err := c.Renew(); err != nil {
			t.Fatal(err)
		}
		if err := s.Reset(); err != nil {
			t.Fatal(err)
		}
		r := &serialRun{t: t, c: c, s: s, order: order}
		seen[r.run()] = true
		order, more = r.next()
		runs++
	}
	if runs < 2 {
		t.Errorf("%d serial orders", runs)
	}
	return seen
}

// serialRun is a run of the sessions' transactions in an order: at each step the
// number of the session that goes on, among those that can.
type serialRun struct {
	t     *testing.T
	c     *program.Client
	s     *pg.Plain
	order []int // as far as it is prescribed, then as it went on
	among []int // how many could go on
	at    []*behaviour.Node
}

// run runs the sessions, then the Finals, and returns what is observed.
func (r *serialRun) run() string {
	r.at = make([]*behaviour.Node, r.c.Sessions())
	for i := range r.at {
		if i != r.c.Final() {
			r.forward(i, func() (*behaviour.Node, error) { return r.c.Root(i) })
		}
	}
	for k := 0; ; k++ {
		var waiting []int
		for i, n := range r.at {
			if n != nil && n.Waits {
				waiting = append(waiting, i)
			}
		}
		if len(waiting) == 0 {
			break
		}
		if k == len(r.order) {
			r.order = append(r.order, 0)
		}
		r.among = append(r.among, len(waiting))
		i := waiting[r.order[k]]
		n := r.at[i]
		r.forward(i, func() (*behaviour.Node, error) { return r.c.Child(n, r.c.Initial(n.Var)) })
	}
	if i := r.c.Final(); i >= 0 {
		r.forward(i, func() (*behaviour.Node, error) { return r.c.Root(i) })
	}
	return r.observed()
}

// forward lets a session go on to where it waits next, or ends.
func (r *serialRun) forward(session int, move func() (*behaviour.Node, error)) {
	r.t.Helper()
	r.s.Session = session
	n, err := move()
	if err != nil {
		r.t.Fatal(err)
	}
	for !n.Waits && n.Next() != nil {
		n = n.Next()
	}
	r.at[session] = n
}

// observed is what the sessions have observed, and what has failed.
func (r *serialRun) observed() string {
	failures := []*behaviour.Failure(nil)
	o := ""
	for _, n := range r.at {
		for _, m := range n.Path() {
			for _, e := range m.Events {
				if e.Kind == behaviour.ObserveEvent {
					o += fmt.Sprintf("%s=%v ", e.Text, r.c.Value(e.Val))
				}
			}
		}
		failures = append(failures, n.Failures...)
	}
	broken, err := r.c.Judge(r.at)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range append(failures, broken...) {
		o += "| " + f.Message
	}
	return o
}

// next is the order after this one, if there is one.
func (r *serialRun) next() (order []int, more bool) {
	for k := len(r.order) - 1; k >= 0; k-- {
		if r.order[k]+1 < r.among[k] {
			return append(r.order[:k:k], r.order[k]+1), true
		}
	}
	return nil, false
}
