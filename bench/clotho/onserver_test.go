package clotho

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/find"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/database"
)

// fewSchedules bounds the schedules in which changes run on a server, without -long.
const fewSchedules = 120

// Each anomaly happens on a real server too, at the level at which it was found. There each
// advised change makes it go away. This is tried in all schedules. Where these are too many, the
// order of the anomaly is tried, and all orders with few interruptions. In full the changes of
// all benchmarks are tried, in few schedules; with -long in more.
func TestOnServer(t *testing.T) {
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(found) == 0 {
		t.Skip("PostgreSQL's programs are not installed")
	}
	for _, b := range []struct {
		name   string
		rows   bool // of seed.sql, in the tables of schema.sql
		advice bool // not in full too
		short  bool // it is run with -short too
		full   bool // it is run in full alone
	}{
		{name: "wikipedia", advice: true, short: true}, {name: "tpccsave", rows: true, short: true}, {name: "voter", advice: true, full: true}, {name: "smallbank"}, {name: "seats"}, {name: "tpcc", rows: true},
	} {
		t.Run(b.name, func(t *testing.T) {
			if b.full {
				deadlinetest.Long(t)
			}
			if testing.Short() && !b.short {
				t.Skip("it explores the benchmark, and runs its anomalies on a server")
			}
			loan, err := database.Lend(t.Context(), "postgres:temp", "")
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := loan.End(); err != nil {
					t.Error(err)
				}
			}()
			on := explore.OnServer{Confirm: true}
			on.DSN, on.Kind = loan.Where()
			o := find.Options{Level: isolation.PgRC, Run: true, Execution: find.Execution{Advice: b.advice || *long || deadlinetest.Full()}, Server: on}
			if !b.advice && !*long {
				o.Schedules = fewSchedules
			}
			if b.rows {
				o.Calls = 3
				o.Schema, o.Seed = []string{b.name + "/schema.sql"}, []string{b.name + "/seed.sql"}
			}
			r := lookWith(t, b.name, o)
			if !b.rows {
				goldenOnce(t, b.name, r)
			}
			if len(r.Findings) == 0 {
				t.Error("no anomaly")
			}
			helpsThere(t, r, b.advice)
		})
	}
}

// goldenOnce compares what was run with what -long has found.
func goldenOnce(t *testing.T, name string, r *find.Report) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join(name, "find.golden"))
	if err != nil {
		t.Fatal(err)
	}
	if got := inWords(name, r); !strings.HasPrefix(string(want), got) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// helpsThere checks that the anomalies of a report happen on the server, and that what is advised helps there:
// with whole in all schedules.
func helpsThere(t *testing.T, r *find.Report, whole bool) {
	t.Helper()
	all, few, refuted := 0, 0, 0
	for _, f := range r.Findings {
		if c := f.Violation.Confirmation; c == nil || c.Verdict != report.Confirmed {
			t.Errorf("%s: %s", f.Program, c.Text())
		}
		for _, a := range f.Refuted {
			if f.Rank != find.Constraint || a.Kind != "level" {
				t.Errorf("%s: %s %q fails on %s: %s", f.Program, a.Kind, a.Change, a.Server, a.Why)
			}
			refuted++ // the key is refused where the model has 40001
		}
		for _, a := range f.Advice {
			switch helps := strings.HasPrefix(a.Server, "helps on PostgreSQL "); {
			case helps && strings.Contains(a.Server, " too, in all "):
				all++
			case helps && !whole: // in the order of the anomaly, and in schedules with few interruptions
				few++
			default:
				t.Errorf("%s: %s %q: %s", f.Program, a.Kind, a.Change, a.Server)
			}
		}
	}
	t.Logf("%d anomalies, %d changes in all schedules, %d in some, %d that fail there are not advised", len(r.Findings), all, few, refuted)
}
