//go:build unix

package bench

import (
	"flag"
	"maps"
	"math"
	"slices"
	"syscall"
	"testing"

	"github.com/txmc/txmc/bench/courseware"
	"github.com/txmc/txmc/bench/shoppingcart"
	seatsdb "github.com/txmc/txmc/bench/subjects/seats"
	"github.com/txmc/txmc/bench/subjects/smallbank"
	"github.com/txmc/txmc/bench/subjects/tatp"
	"github.com/txmc/txmc/bench/subjects/treiber"
	"github.com/txmc/txmc/bench/subjects/voter"
	"github.com/txmc/txmc/bench/tpcc"
	"github.com/txmc/txmc/bench/twitter"
	"github.com/txmc/txmc/bench/wikipedia"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/testdata/bank"
	"github.com/txmc/txmc/testdata/cart"
	"github.com/txmc/txmc/testdata/causality"
	"github.com/txmc/txmc/testdata/course"
	"github.com/txmc/txmc/testdata/document"
	"github.com/txmc/txmc/testdata/fracturedread"
	"github.com/txmc/txmc/testdata/longfork"
	"github.com/txmc/txmc/testdata/lostupdate"
	"github.com/txmc/txmc/testdata/payment"
	"github.com/txmc/txmc/testdata/seats"
	"github.com/txmc/txmc/testdata/stack"
	"github.com/txmc/txmc/testdata/tweets"
	"github.com/txmc/txmc/testdata/username"
	"github.com/txmc/txmc/testdata/writeskew"
)

var firstFlag = flag.Bool("first", false, "measure how soon the first violation is found")

// examples are the programs that break at some level.
var examples = map[string]func(*program.Program){
	"bank.Transfer": bank.ExploreTransfer, "bank.Receipts": bank.ExploreReceipts, "bank.Overdraft": bank.ExploreOverdraft,
	"cart.Checkout": cart.ExploreCheckout, "causality.Album": causality.ExploreAlbum, "course.Enrol": course.ExploreEnrol,
	"document.Save": document.ExploreSave, "fracturedread.Friends": fracturedread.ExploreFriends, "longfork.Score": longfork.ExploreScore,
	"lostupdate.Likes": lostupdate.ExploreLikes, "payment.Retry": payment.ExploreRetry, "payment.Failover": payment.ExploreFailover,
	"seats.Reserve": seats.ExploreReserve, "stack.Pop": stack.ExplorePop, "tweets.Follow": tweets.ExploreFollow, "tweets.Reload": tweets.ExploreReload,
	"username.Table": username.ExploreTable, "username.Index": username.ExploreIndex, "writeskew.OnCall": writeskew.ExploreOnCall, "writeskew.ShiftLock": writeskew.ExploreShiftLock,
	"courseware.LastPlace": courseware.ExploreLastPlace, "courseware.TwoCourses": courseware.ExploreTwoCourses, "courseware.Delete": courseware.ExploreDelete,
	"shoppingcart.Remove": shoppingcart.ExploreRemove, "shoppingcart.Add": shoppingcart.ExploreAdd,
	"tpcc.Payments": tpcc.ExplorePayments, "tpcc.Orders": tpcc.ExploreOrders, "tpcc.Deliveries": tpcc.ExploreDeliveries,
	"twitter.Publish": twitter.ExplorePublish, "twitter.Follow": twitter.ExploreFollow, "twitter.Alone": twitter.ExploreAlone,
	"wikipedia.EditSamePage": wikipedia.ExploreEditSamePage, "wikipedia.EditTwoPages": wikipedia.ExploreEditTwoPages, "wikipedia.Watch": wikipedia.ExploreWatch,
	"subjects/seats.Reserve": seatsdb.ExploreReserve, "subjects/seats.Count": seatsdb.ExploreCount, "subjects/seats.Move": seatsdb.ExploreMove,
	"smallbank.Money": smallbank.ExploreMoney, "smallbank.Penalty": smallbank.ExplorePenalty,
	"tatp.Update": tatp.ExploreUpdate, "tatp.Forward": tatp.ExploreForward,
	"treiber.Push": treiber.ExplorePush, "treiber.Pop": treiber.ExplorePop, "treiber.PushPop": treiber.ExplorePushPop, "voter.Vote": voter.ExploreVote,
}

// order is a way to look for the first violation.
type order struct {
	name string
	set  func(o *dpor.Options)
}

func orders() []order {
	return []order{
		{"as it is", func(o *dpor.Options) {}},
		{"newest first", func(o *dpor.Options) { o.Newest, o.Probes = true, -1 }},
		{"oldest first", func(o *dpor.Options) { o.Probes = -1 }},
		{"random first", func(o *dpor.Options) { o.Probes, o.ProbeAfter = 1000, -1 }},
		{"nearly serial", nil},
	}
}

// times is how soon an order finds the first violation of each program at each level
// where there is one.
type times struct{ histories, cpu []float64 }

// The first violation is found soon: in half of the programs it is the first history,
// and no search is long. With -first all orders are measured, also on the clients with
// their assertions, and printed.
func TestFirstViolation(t *testing.T) {
	programs, kinds := maps.Clone(examples), orders()
	if *firstFlag {
		clients, err := Load(Own(), Apps())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range clients {
			programs[p.App.Name+" "+p.Name] = p.ExploreAsserted
		}
	} else {
		t.Parallel() // it measures nothing
		kinds = kinds[:1]
	}
	all := make([]times, len(kinds))
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		for _, l := range isolation.Levels() {
			firstViolations(t, name, programs[name], l, kinds, all)
		}
	}
	for i, k := range kinds {
		h, c := all[i].histories, all[i].cpu
		slices.Sort(h)
		slices.Sort(c)
		n := len(h)
		t.Logf("%-12s of %d programs and levels: histories %v in the median, %v in nine of ten, %v in the worst; %.1f and %.0f ms of processor time", k.name, n, h[n/2], h[n*9/10], h[n-1], c[n/2], c[n-1])
		if i == 0 && (h[n/2] > 1 || h[n-1] > 108) {
			t.Errorf("the first violation comes after %v histories in the median, %v in the worst", h[n/2], h[n-1])
		}
	}
}

// firstViolations adds how soon each order finds the first violation.
func firstViolations(t *testing.T, name string, explore func(*program.Program), l isolation.Level, kinds []order, all []times) {
	for i, k := range kinds {
		c, err := program.NewClient(name, explore, program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		before := cpuTime()
		n, found := k.first(t, c, l)
		switch {
		case !found && i == 0:
			return // there is none
		case !found:
			n = math.Inf(1)
		}
		all[i].histories = append(all[i].histories, n)
		all[i].cpu = append(all[i].cpu, 1e3*(cpuTime()-before))
	}
}

// first returns how many histories it takes to find a violation.
func (o order) first(t *testing.T, c *program.Client, l isolation.Level) (histories float64, found bool) {
	opts := dpor.Options{Level: l, Base: l.Base(), Engine: dpor.Auto, Workers: 1, Scope: dpor.Scope{MaxHistories: 100_000}}
	if o.set != nil {
		o.set(&opts)
		s := ended(t, c, opts)
		return float64(s.Histories), s.Violations > 0
	}
	opts.DFS, opts.Near = true, true
	for ; opts.Deviations < 4 && !found; opts.Deviations++ {
		s := ended(t, c, opts)
		histories, found = histories+float64(s.Histories), s.Violations > 0
	}
	return histories, found
}

// cpuTime is the processor time of the process so far, in seconds. Linux measures the sum of
// what is spent in the program and in the kernel; each by itself is an estimate from ticks of milliseconds.
func cpuTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
