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
// change that is advised makes it go away there.
func TestOnServer(t *testing.T) {
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(found) == 0 {
		t.Skip("PostgreSQL's programs are not installed")
	}
	for _, b := range []struct {
		name   string
		rows   bool // of seed.sql, in the tables of schema.sql
		advice bool // which runs in all schedules there: minutes for each change of the larger ones
		short  bool // it is run with -short too
	}{
		{"wikipedia", false, true, true}, {"tpccsave", true, false, true}, {"smallbank", false, false, false}, {"seats", false, false, false}, {"tpcc", true, false, false},
	} {
		t.Run(b.name, func(t *testing.T) {
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
			o := find.Options{Level: isolation.PgRC, Run: true, Advice: b.advice, Server: on}
			if b.rows {
				o.Calls = 3
				o.Schema, o.Seed = []string{b.name + "/schema.sql"}, []string{b.name + "/seed.sql"}
			}
			r := lookWith(t, b.name, o)
			if len(r.Findings) == 0 {
				t.Error("no anomaly")
			}
			advised := 0
			for _, f := range r.Findings {
				if c := f.Violation.Confirmation; c == nil || c.Verdict != report.Confirmed {
					t.Errorf("%s: %s", f.Program, c.Text())
				}
				for _, a := range f.Advice {
					if advised++; !strings.HasPrefix(a.Server, "helps on PostgreSQL ") || !strings.Contains(a.Server, " too, in all ") {
						t.Errorf("%s: %s %q: %s", f.Program, a.Kind, a.Change, a.Server)
					}
				}
			}
			t.Logf("%d anomalies, %d changes", len(r.Findings), advised)
		})
	}
}
