package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/bench/courseware"
	"github.com/txmc/txmc/bench/shoppingcart"
	"github.com/txmc/txmc/bench/subjects/seats"
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
	"github.com/txmc/txmc/program/behaviour"
)

// subject is an Explore function with assertions.
type subject struct {
	name    string
	explore func(*txmc.Program)
}

// judged is how many histories of a level are judged. Where there are more, an
// assertion that did not break is not known to hold.
const judged = 2_000

// verdicts is a table of the assertions that break somewhere, and the levels:
// breaks, holds, or ? where not all histories were judged.
func verdicts(t *testing.T, subjects []subject) string {
	var b strings.Builder
	b.WriteString("# breaks, holds, or ? where there are more histories than are judged here\n")
	for _, s := range subjects {
		fmt.Fprintf(&b, "\n%-72s", s.name)
		for _, level := range isolation.Levels() {
			fmt.Fprintf(&b, " %6v", level)
		}
		b.WriteString("\n")
		var broken []map[string]bool
		var complete []bool
		names := map[string]bool{}
		for _, level := range isolation.Levels() {
			some, all := judge(t, s, level)
			broken, complete = append(broken, some), append(complete, all)
			maps.Copy(names, some)
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			fmt.Fprintf(&b, "  %-70s", name)
			for i := range broken {
				cell := "holds"
				switch {
				case broken[i][name]:
					cell = "breaks"
				case !complete[i]:
					cell = "?"
				}
				fmt.Fprintf(&b, " %6s", cell)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// judge returns the assertions that break at a level, and whether all histories
// were judged.
func judge(t *testing.T, s subject, level isolation.Level) (map[string]bool, bool) {
	c, err := program.NewClient(s.name, s.explore, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]bool{}
	opts := optionsAt(level)
	opts.MaxHistories = judged
	x := dpor.Explore(context.Background(), c, opts)
	for f, err := range x.Histories() {
		if err != nil {
			t.Fatalf("%s at %v: %v", s.name, level, err)
		}
		for _, failure := range f.Failures {
			name := failure.Name
			if failure.Kind == behaviour.Panic {
				name = "panic in " + name + ": " + failure.Message
			}
			broken[name] = true
		}
	}
	return broken, x.Stats().Complete
}

// TestAssertions: which assertions of the applications break at which level.
func TestAssertions(t *testing.T) {
	t.Parallel()
	if !*long && !*update {
		t.Skip("-long explores the applications; TestSubjects explores small kernels always")
	}
	golden(t, "testdata/assertions.golden", verdicts(t, []subject{
		{"courseware.ExploreLastPlace", courseware.ExploreLastPlace},
		{"courseware.ExploreTwoCourses", courseware.ExploreTwoCourses},
		{"courseware.ExploreDelete", courseware.ExploreDelete},
		{"shoppingcart.ExploreRemove", shoppingcart.ExploreRemove},
		{"shoppingcart.ExploreAdd", shoppingcart.ExploreAdd},
		{"twitter.ExplorePublish", twitter.ExplorePublish},
		{"twitter.ExploreFollow", twitter.ExploreFollow},
		{"twitter.ExploreAlone", twitter.ExploreAlone},
		{"wikipedia.ExploreEditSamePage", wikipedia.ExploreEditSamePage},
		{"wikipedia.ExploreEditTwoPages", wikipedia.ExploreEditTwoPages},
		{"wikipedia.ExploreWatch", wikipedia.ExploreWatch},
		{"tpcc.ExplorePayments", tpcc.ExplorePayments},
		{"tpcc.ExploreOrders", tpcc.ExploreOrders},
		{"tpcc.ExploreDeliveries", tpcc.ExploreDeliveries},
	}))
}

// TestSubjects: the same for the kernels of other benchmarks.
func TestSubjects(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/subjects.golden", verdicts(t, []subject{
		{"smallbank.ExploreMoney", smallbank.ExploreMoney},
		{"smallbank.ExplorePenalty", smallbank.ExplorePenalty},
		{"voter.ExploreVote", voter.ExploreVote},
		{"seats.ExploreReserve", seats.ExploreReserve},
		{"seats.ExploreCount", seats.ExploreCount},
		{"seats.ExploreMove", seats.ExploreMove},
		{"tatp.ExploreUpdate", tatp.ExploreUpdate},
		{"tatp.ExploreForward", tatp.ExploreForward},
		{"treiber.ExplorePush", treiber.ExplorePush},
		{"treiber.ExplorePop", treiber.ExplorePop},
		{"treiber.ExplorePushPop", treiber.ExplorePushPop},
	}))
}
