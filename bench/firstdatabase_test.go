//go:build unix

package bench

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
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

// sqlExamples are the programs in SQL.
var sqlExamples = map[string]func(*program.Program){
	"sqlcoupon.Redeem": sqlcoupon.ExploreRedeem, "sqlcoupon.RedeemLocked": sqlcoupon.ExploreRedeemLocked, "sqlcoupon.RedeemCounted": sqlcoupon.ExploreRedeemCounted,
	"sqlorder.Order": sqlorder.ExploreOrder, "sqlorder.OrderGuarded": sqlorder.ExploreOrderGuarded,
	"sqlpayment.Pay": sqlpayment.ExplorePay, "sqlpayment.PayOnce": sqlpayment.ExplorePayOnce, "sqlpool.Votes": sqlpool.ExploreVotes,
	"sqlqueue.Take": sqlqueue.ExploreTake, "sqlqueue.TakeLocked": sqlqueue.ExploreTakeLocked,
	"sqlseats.Reserve": sqlseats.ExploreReserve, "sqlseats.ReserveLocked": sqlseats.ExploreReserveLocked,
	"sqltransfers.Transfer": sqltransfers.ExploreTransfer, "sqltransfers.Add": sqltransfers.ExploreAdd,
	"sqlusername.Checked": sqlusername.ExploreChecked, "sqlusername.Unique": sqlusername.ExploreUnique,
}

// switchesFirst explores, at a level of a database, the executions with no interruption of
// an open transaction first, then those with one more and so on, and in the end all.
type switchesFirst int

// withWalks is depth first with random executions, which the other orders leave out.
const withWalks switchesFirst = -1

// databaseOrders are the orders at levels of databases, by name.
var databaseOrders = []struct {
	name string
	most switchesFirst // interruptions before all are allowed; less than 0: they are at once
}{{"as it is", withWalks}, {"depth first alone", -2}, {"none first", 0}, {"up to one first", 1}, {"up to three first", 3}}

// mostStates is how many states a search for a violation visits.
const mostStates = 10_000

// first returns how many outcomes and states it takes to find a violation.
func (most switchesFirst) first(t *testing.T, c *program.Client, l isolation.Level) (outcomes, states int64, found bool) {
	t.Helper()
	opts := dpor.Options{Level: l, Workers: 1, Scope: dpor.Scope{Bound: &dpor.Bound{Calls: mostStates, Nodes: math.MaxInt}}}
	if most != withWalks {
		opts.Probes = -1
	}
	for opts.Near = most >= 0; !found; opts.Deviations++ {
		if opts.Deviations > int(most) {
			opts.Near = false
		}
		s := ended(t, c, opts)
		outcomes, states, found = outcomes+s.Histories, states+s.Explored, s.Violations > 0
		if !opts.Near {
			break
		}
	}
	return outcomes, states, found
}

// databaseTimes is how soon an order finds the first violation of each program at each level.
type databaseTimes struct{ outcomes, states, cpu []float64 }

// At levels of databases the first violation is found soon too. With -first all orders are
// measured, also on the programs in SQL and the clients with their assertions, and printed.
func TestFirstViolationDatabase(t *testing.T) {
	if !*firstFlag {
		t.Parallel() // it measures nothing
	}
	postgres := isolation.LevelsOf(isolation.PostgreSQL)
	levels := append(slices.Clone(postgres), isolation.LevelsOf(isolation.InnoDB)...)
	t.Run("examples", func(t *testing.T) {
		orders, few := len(databaseOrders), levels
		if !*firstFlag {
			orders, few = 1, levels[:deadlinetest.Of(len(levels), 1)]
		}
		d := firstOfDatabases(t, examples, few, orders)[0]
		if n := len(d.states); d.states[n/2] > 40 || d.states[n-1] > 600 {
			t.Errorf("it comes after %v states in the median, %v in the worst", d.states[n/2], d.states[n-1])
		}
	})
	t.Run("SQL", func(t *testing.T) { firstMeasured(t, sqlExamples, postgres, 3) })
	t.Run("clients", func(t *testing.T) {
		clients, err := Load(Own(), Apps())
		if err != nil {
			t.Fatal(err)
		}
		asserted := map[string]func(*program.Program){}
		for _, p := range clients {
			asserted[p.App.Name+" "+p.Name] = p.ExploreAsserted
		}
		firstMeasured(t, asserted, levels, len(databaseOrders))
	})
}

// firstMeasured measures the first orders, with -first.
func firstMeasured(t *testing.T, programs map[string]func(*program.Program), levels []isolation.Level, orders int) {
	t.Helper()
	if !*firstFlag {
		t.Skip("it measures, with -first")
	}
	firstOfDatabases(t, programs, levels, orders)
}

// firstOfDatabases returns how soon the first orders find the first violations, and prints it.
func firstOfDatabases(t *testing.T, programs map[string]func(*program.Program), levels []isolation.Level, orders int) []databaseTimes {
	t.Helper()
	all := make([]databaseTimes, orders)
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		for _, l := range levels {
			firstOfDatabase(t, name, programs[name], l, all)
		}
	}
	for i := range all {
		all[i].print(t, databaseOrders[i].name)
	}
	return all
}

// firstOfDatabase adds how soon each order finds a violation, if one of them finds any.
func firstOfDatabase(t *testing.T, name string, explore func(*program.Program), l isolation.Level, all []databaseTimes) {
	t.Helper()
	rows, some := make([][3]float64, len(all)), false
	for i := range all {
		c, err := program.NewClient(name, explore, program.Options{Database: true, Level: l.String()})
		if err != nil {
			t.Skip(err) // what a program in SQL needs is not there
		}
		before := cpuTime()
		outcomes, states, found := databaseOrders[i].most.first(t, c, l)
		rows[i] = [3]float64{float64(outcomes), float64(states), 1e3 * (cpuTime() - before)}
		if some = some || found; !found {
			rows[i] = [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
		}
	}
	for i, r := range rows {
		if d := &all[i]; some {
			d.outcomes, d.states, d.cpu = append(d.outcomes, r[0]), append(d.states, r[1]), append(d.cpu, r[2])
		}
	}
}

// print sorts and prints them.
func (d *databaseTimes) print(t *testing.T, order string) {
	t.Helper()
	n := len(d.states)
	if n == 0 {
		return
	}
	for _, list := range [][]float64{d.outcomes, d.states, d.cpu} {
		slices.Sort(list)
	}
	t.Logf("%s, of %d: outcomes %v in the median, %v for nine of ten, %v in the worst; states %v, %v, %v; %.1f, %.1f and %.0f ms of processor time",
		order, n, d.outcomes[n/2], d.outcomes[n*9/10], d.outcomes[n-1], d.states[n/2], d.states[n*9/10], d.states[n-1], d.cpu[n/2], d.cpu[n*9/10], d.cpu[n-1])
}
