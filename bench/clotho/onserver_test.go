package clotho

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/find"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/database"
)

// Each anomaly happens on a real server too, at the level at which it was found, and each
// change that is advised makes it go away there: in all schedules, or, where these are too many, in
// the order of the anomaly and in all with few interruptions. With -long the changes of all benchmarks
// are tried.
func TestOnServer(t *testing.T) {
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(found) == 0 {
		t.Skip("PostgreSQL's programs are not installed")
	}
	for _, b := range []struct {
		name   string
		rows   bool // of seed.sql, in the tables of schema.sql
		advice bool // without -long too
		short  bool // it is run with -short too
		long   bool // it is run with -long alone
	}{
		{name: "wikipedia", advice: true, short: true}, {name: "tpccsave", rows: true, short: true}, {name: "voter", advice: true, long: true}, {name: "smallbank"}, {name: "seats"}, {name: "tpcc", rows: true},
	} {
		t.Run(b.name, func(t *testing.T) {
			if testing.Short() && !b.short || b.long && !*long {
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
			o := find.Options{Level: isolation.PgRC, Run: true, Advice: b.advice || *long, Server: on}
			if b.rows {
				o.Calls = 3
				o.Schema, o.Seed = []string{b.name + "/schema.sql"}, []string{b.name + "/seed.sql"}
			}
			r := lookWith(t, b.name, o)
			if len(r.Findings) == 0 {
				t.Error("no anomaly")
			}
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
					switch {
					case strings.HasPrefix(a.Server, "helps on PostgreSQL ") && strings.Contains(a.Server, " too, in all "):
						all++
					case !b.advice && strings.HasPrefix(a.Server, "helps on PostgreSQL ") && strings.Contains(a.Server, " too, in the order of the anomaly and in all "):
						few++
					default:
						t.Errorf("%s: %s %q: %s", f.Program, a.Kind, a.Change, a.Server)
					}
				}
			}
			t.Logf("%d anomalies, %d changes in all schedules, %d in some, %d that fail there are not advised", len(r.Findings), all, few, refuted)
		})
	}
}
