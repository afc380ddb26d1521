package proxy_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
	kernels "github.com/txmc/txmc/testdata/databases/postgres"
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
	kernels.ExploreMoves, kernels.ExploreMovesRetried, kernels.ExploreOnCall, kernels.ExploreOnCallSerializable, kernels.ExploreMailBeforeCommit,
	kernels.ExploreMailAfterCommit, kernels.ExploreHits, kernels.ExploreHitsUpsert, kernels.ExploreJobs, kernels.ExploreJobsSkipLocked, kernels.ExploreJoin,
	kernels.ExploreAdvisory, kernels.ExploreAdvisoryForgotten, kernels.ExploreReminders, kernels.ExploreRemindersAgain, kernels.ExploreTotal,
	kernels.ExploreTotalAtOnce, kernels.ExploreRaises, kernels.ExploreRaisesInOrder,
}

// All examples in SQL are among them: cmd/txmc runs those of variables, and the bugs, on a server.
func TestAllExamples(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../../testdata/*/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	here := map[string]bool{}
	for _, f := range examples {
		name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
		here[name[strings.LastIndex(name, "/testdata/")+1:]] = true
	}
	found := 0
	for _, file := range append(files, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), `"github.com/txmc/txmc/pg"`) || strings.Contains(filepath.ToSlash(file), "/bugs/") {
			continue
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Explore\w+)\(p \*txmc\.Program\)`).FindAllStringSubmatch(string(text), -1) {
			dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), "../../")
			if found++; !here[dir+"."+m[1]] {
				t.Errorf("%s.%s is missing", dir, m[1])
			}
		}
	}
	if found != len(examples) {
		t.Errorf("%d of %d", found, len(examples))
	}
}

// An execution of each outcome is listed where that is asked for, violations or not.
func TestListed(t *testing.T) {
	t.Parallel()
	_, dsn := start(t)
	claim(t, dsn)
	e := onServer{at: explore.OnServer{DSN: dsn}, list: true}.run(t, t.Context(), sqlqueue.ExploreTake, isolation.PgRC)
	if err := e.only(t); err != nil {
		t.Fatal(err.Message)
	}
	results, listed := of[*report.Result](e), of[*report.Listed](e)
	if len(results) != 1 || !results[0].Complete || int64(len(listed)) != results[0].Outcomes || results[0].Violations == 0 {
		t.Errorf("%d are listed: %+v", len(listed), results)
	}
	for _, l := range listed {
		if len(l.Schedule) < 4 || len(l.Left) != 1 {
			t.Errorf("%+v", l)
		}
	}
}

// asking is the first of the examples whose transactions ask for levels themselves.
const asking = 16

var full = flag.Bool("full", false, "run all examples at all levels, not every eighth at one of them")

// inFull reports whether tests run in full.
func inFull() bool { return *full || deadlinetest.Full() }

// every is how many examples there are for one that runs, unless tests run in full.
const every = 8

// levelsOf are the levels at which an example is run.
func levelsOf(example int) []isolation.Level {
	all := []isolation.Level{isolation.PgRC, isolation.PgRR, isolation.PgSer}
	switch {
	case example >= asking && (inFull() || example%every == 0):
		return all[:1]
	case inFull():
		return all
	case example%every != 0:
		return nil
	}
	return all[example/every%len(all):][:1]
}

// inside are the examples whose violations need that others run inside a statement, at some level:
// a free run may have them, and need not.
var inside = []string{"ExploreTakeLocked", "ExploreReminders", "ExploreTotal", "ExploreRaises"}

// Every violation of the examples that the model of PostgreSQL finds is confirmed on a
// real server, one of each cause, but for those that no client can make there.
func TestConfirmed(t *testing.T) {
	t.Parallel()
	_, dsn := alone(t)
	claim(t, dsn)
	confirmed := 0
	for i, f := range examples {
		levels := levelsOf(i)
		if len(levels) == 0 {
			continue
		}
		t.Run(nameOf(f), func(t *testing.T) {
			e := onServer{at: explore.OnServer{DSN: dsn, Confirm: true}, all: true}.run(t, t.Context(), f, levels...)
			if err := e.only(t); err != nil {
				t.Fatal(err.Message)
			}
			if results := of[*report.Result](e); len(results) != len(levels) {
				t.Fatalf("%d results", len(results))
			}
			for _, v := range of[*report.Violation](e) {
				if v.Confirmation != nil && v.Confirmation.Verdict == report.Unsaid && slices.Contains(inside, nameOf(f)) {
					continue
				}
				if confirmed++; v.Confirmation == nil || v.Confirmation.Verdict != report.Confirmed {
					t.Errorf("%s: %s\n%s", v.Iso, v.Confirmation.Text(), (&report.Text{}).Violation(v))
				}
			}
		})
	}
	if all := !strings.Contains(flag.Lookup("test.run").Value.String(), "/"); all && (confirmed < 3 || inFull() && confirmed < 20) {
		t.Errorf("%d violations were confirmed", confirmed)
	}
}

// The outcomes of the examples on a real server are those under the model, all of them.
func TestSameOutcomes(t *testing.T) {
	t.Parallel()
	_, dsn := alone(t)
	claim(t, dsn)
	for i, f := range examples {
		levels := levelsOf(i)
		if len(levels) == 0 {
			continue
		}
		t.Run(nameOf(f), func(t *testing.T) {
			e := onServer{at: explore.OnServer{DSN: dsn, Compare: true}}.run(t, t.Context(), f, levels...)
			if err := e.only(t); err != nil {
				t.Fatal(err.Message)
			}
			list := of[*report.ServerComparison](e)
			if len(list) != len(levels) {
				t.Fatalf("%d comparisons", len(list))
			}
			for _, c := range list {
				if c.Differ() > 0 || !c.Complete || c.Outcomes == 0 {
					t.Error((&report.Text{}).ServerComparison(c))
				}
			}
		})
	}
}

// A violation at an axiomatic level has no schedule of statements: a search finds one at
// the server's level that keeps the same promise. Where the server keeps more than the
// promise, all executions say so; and some levels it does not have.
func TestConfirmedWithoutSchedule(t *testing.T) {
	deadlinetest.Long(t)
	_, dsn := start(t)
	claim(t, dsn)
	for _, test := range []struct {
		f       func(*program.Program)
		level   isolation.Level
		verdict string
	}{
		{sqlcoupon.ExploreRedeem, isolation.RC, report.Confirmed},
		{sqlcoupon.ExploreRedeem, isolation.SI, report.Confirmed},
		{sqltransfers.ExploreAdd, isolation.RC, report.Unconfirmed},
		{sqlcoupon.ExploreRedeem, isolation.CC, report.Unsaid},
	} {
		e := onServer{at: explore.OnServer{DSN: dsn, Confirm: true}}.run(t, t.Context(), test.f, test.level)
		list := of[*report.Violation](e)
		if len(list) == 0 {
			if test.verdict == report.Unconfirmed {
				continue
			}
			t.Fatalf("%s at %v has no violation: %v", nameOf(test.f), test.level, e.only(t))
		}
		c := list[0].Confirmation
		if c.Verdict != test.verdict || c.Verdict == report.Unconfirmed && !c.Complete || c.Verdict == report.Unsaid && c.Message == "" {
			t.Errorf("%s at %v: %s", nameOf(test.f), test.level, c.Text())
		}
	}
}
