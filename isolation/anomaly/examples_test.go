package anomaly_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
	"github.com/txmc/txmc/testdata/bank"
	"github.com/txmc/txmc/testdata/cart"
	"github.com/txmc/txmc/testdata/causality"
	"github.com/txmc/txmc/testdata/course"
	"github.com/txmc/txmc/testdata/dangling"
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

// examples are the programs of testdata with the strongest level at which they
// break, as their comments say, and what goes wrong there.
var examples = []struct {
	name    string
	explore func(*program.Program)
	level   isolation.Level
	anomaly string // or, of the final audit, two that there are
}{
	{"bank.ExploreTransfer", bank.ExploreTransfer, isolation.RC, "fractured read, stale read"},
	{"bank.ExploreReceipts", bank.ExploreReceipts, isolation.PC, "lost update"},
	{"bank.ExploreOverdraft", bank.ExploreOverdraft, isolation.SI, "write skew"},
	{"cart.ExploreCheckout", cart.ExploreCheckout, isolation.PC, "lost update"},
	{"causality.ExploreAlbum", causality.ExploreAlbum, isolation.RA, "causality violation"},
	{"course.ExploreEnrol", course.ExploreEnrol, isolation.SI, "write skew"},
	{"dangling.ExplorePack", dangling.ExplorePack, isolation.RA, "causality violation"},
	{"document.ExploreSave", document.ExploreSave, isolation.PC, "lost update"},
	{"fracturedread.ExploreFriends", fracturedread.ExploreFriends, isolation.RC, "fractured read"},
	{"longfork.ExploreScore", longfork.ExploreScore, isolation.CC, "long fork"},
	{"lostupdate.ExploreLikes", lostupdate.ExploreLikes, isolation.PC, "lost update"},
	{"payment.ExploreRetry", payment.ExploreRetry, isolation.RC, "read-your-writes violation"},
	{"payment.ExploreFailover", payment.ExploreFailover, isolation.PC, "lost update"},
	{"seats.ExploreReserve", seats.ExploreReserve, isolation.PC, "lost update"},
	{"stack.ExplorePop", stack.ExplorePop, isolation.PC, "lost update"},
	{"tweets.ExploreFollow", tweets.ExploreFollow, isolation.SI, "write skew"},
	{"tweets.ExploreReload", tweets.ExploreReload, isolation.RA, "non-monotonic read"},
	{"username.ExploreTable", username.ExploreTable, isolation.SI, "write skew"},
	{"username.ExploreIndex", username.ExploreIndex, isolation.PC, "lost update"},
	{"writeskew.ExploreOnCall", writeskew.ExploreOnCall, isolation.SI, "write skew"},
	{"writeskew.ExploreShiftLock", writeskew.ExploreShiftLock, isolation.PC, "write conflict"},
}

// At the strongest level at which an example breaks, every violation is the
// anomaly that the example is about, forbidden from the next level on.
func TestExamples(t *testing.T) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			client, violations := explore(t, e.explore, e.level)
			if len(violations) == 0 {
				t.Fatalf("holds at %v", e.level)
			}
			for _, f := range violations {
				x := anomaly.Explain(f.History)
				if !slices.Contains(strings.Split(e.anomaly, ", "), x.Anomaly.Name) || len(x.Allowed) == 0 || x.Allowed[len(x.Allowed)-1] != e.level {
					t.Errorf("%s, allowed up to %v; want %s, %v\n%s", x.Anomaly.Name, x.Allowed, e.anomaly, e.level, tell(client, f))
				}
			}
			t.Log("\n" + tell(client, violations[0]))
		})
	}
}

// explore returns the violations at a level.
func explore(t *testing.T, declare func(*program.Program), l isolation.Level) (*program.Client, []*dpor.Found) {
	t.Helper()
	client, err := program.NewClient("Explore", declare, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Park)
	var found []*dpor.Found
	for f, err := range dpor.Explore(t.Context(), client, dpor.Options{Level: l, Base: l.Base(), All: true, Workers: 1}).Histories() {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, f)
	}
	return client, found
}

// names are the names that a client gives.
type names struct {
	h *semantics.History
	*program.Client
}

func (n names) Txn(t int) string {
	if t == 0 {
		return "init"
	}
	txn := &n.h.Txns[t]
	if next := t + 1; txn.Index == 0 && (next == len(n.h.Txns) || n.h.Txns[next].Session != txn.Session) {
		return n.SessionName(txn.Session)
	}
	return fmt.Sprintf("%s/%d", n.SessionName(txn.Session), txn.Index+1)
}
func (n names) Session(s int) string                { return n.SessionName(s) }
func (n names) Var(x behaviour.VarID) string        { return n.Key(x) }
func (n names) Value(_, v behaviour.ValueID) string { return n.Format(v) }

// tell is a history, its explanation and its story.
func tell(client *program.Client, f *dpor.Found) string {
	n := names{f.History, client}
	x := anomaly.Explain(f.History)
	w := x.Words(f.History, n)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%s\n", w.Title, w.Levels, strings.Join(w.Sentences, "\n"))
	b.WriteString(story(f.History, n, anomaly.Schedule(f.History, f.Order)))
	return b.String()
}

func story(h *semantics.History, n anomaly.Namer, s *anomaly.Story) string {
	var b strings.Builder
	for i, step := range s.Steps {
		t := &h.Txns[step.Txn]
		fmt.Fprintf(&b, "  %-20s ", n.Txn(step.Txn))
		switch step.Op {
		case anomaly.Begin:
			b.WriteString("begin " + t.Name)
		case anomaly.End:
			b.WriteString(t.Status.String())
		default:
			e := t.Events[step.Event]
			fmt.Fprintf(&b, "%v %s = %s", e.Kind, n.Var(e.Var), n.Value(e.Val, e.Val))
			if step.Misses >= 0 {
				b.WriteString("   misses " + n.Txn(step.Misses))
			}
		}
		if i == s.FirstNonSerial {
			b.WriteString("   <- not serial")
		}
		b.WriteString("\n")
	}
	return b.String()
}
