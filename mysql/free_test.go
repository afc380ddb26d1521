package mysql_test

import (
	"database/sql"
	"flag"
	"testing"
	"time"

	exploring "github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/proxy/forms"
	"github.com/txmc/txmc/server/proxy/mariadb"
)

var (
	freePrograms = deadlinetest.Flag("free-programs", 60, 8, "random programs that run freely on a server, at the levels in turn")
	freeRuns     = flag.Int64("free-runs", 20, "runs of each of them")
	freeSeed     = flag.Uint64("free-seed", 1, "the first of their seeds")
	freeAll      = flag.Bool("free-all", false, "also statements whose locks are for the plan of the server to say")
)

// planned are the classes of statements whose locks are for the plan of the server to say.
const planned = forms.Joins

// TestFreeForms: random programs in the forms that people write run freely on a server, and have
// no outcome that the model lacks.
func TestFreeForms(t *testing.T) {
	t.Parallel()
	at := lent(t)
	classes := forms.All &^ (forms.Functions | forms.Advisory) // which there are none of
	if !*freeAll {
		classes &^= planned
	}
	var all report.FreeComparison
	outside := 0
	levels := isolation.LevelsOf(isolation.InnoDB)
	for k := range freePrograms.N() {
		if deadlinetest.Over(t) {
			break
		}
		p := forms.MariaDB(*freeSeed+uint64(k), classes&^[]forms.Class{forms.Triggers, forms.Upserts}[k%2]) // which do not go together
		c := runFree(t, at, p, levels[k%len(levels)])
		if c == nil {
			continue
		}
		all.Runs, all.Outcomes, all.Model, all.TimedOut = all.Runs+c.Runs, all.Outcomes+c.Outcomes, all.Model+c.Model, all.TimedOut+c.TimedOut
		if len(c.Outside) > 0 {
			outside++
			t.Errorf("%v%s%s", p, (&report.Text{}).FreeComparison(c), bySchedules(t, at, p, levels[k%len(levels)]))
		}
	}
	t.Logf("%d runs: %d outcomes of the models' %d, %d programs with others, %d runs ended by time limits", all.Runs, all.Outcomes, all.Model, outside, all.TimedOut)
}

// runFree compares free runs of a program with the model.
func runFree(t *testing.T, at exploring.OnServer, p *forms.Program, level isolation.Level) *report.FreeComparison {
	return comparison[*report.FreeComparison](t, at, p, level, func(s exploring.Server) exploring.Task {
		return s.Free(exploring.FreeRuns{Runs: *freeRuns, Seed: p.Seed})
	})
}

// bySchedules says whether the model differs from the server also where both run statement by
// statement: then the reason is not what happens inside statements.
func bySchedules(t *testing.T, at exploring.OnServer, p *forms.Program, level isolation.Level) string {
	c := comparison[*report.ServerComparison](t, at, p, level, func(s exploring.Server) exploring.Task { return s.Find(true) })
	if c == nil {
		return ""
	}
	return "\nstatement by statement: " + (&report.Text{}).ServerComparison(c)
}

// comparison is what a task with a program reports.
func comparison[C any](t *testing.T, at exploring.OnServer, p *forms.Program, level isolation.Level, task func(exploring.Server) exploring.Task) (c C) {
	declare := func(to *program.Program) {
		db := mysql.New(to, mysql.Schema(p.Schema), mysql.Seed(p.Rows))
		p.Declare(to, func(s *program.Session) *sql.DB { return db.Open(s) })
	}
	e := &reported{}
	server := mariadb.New(at)
	defer server.Close()
	r := &exploring.Run{
		Package: "test", Sink: e, Server: server, Task: task(server),
		Options: exploring.Options{Levels: []isolation.Level{level}, Patience: 10 * time.Minute, MaxOps: 1000, Workers: 1, Recheck: 4, Shown: true, Timeout: 2 * time.Minute},
	}
	r.Programs(t.Context(), []exploring.Program{{Name: "ExploreForms", Explore: declare}})
	for _, err := range reportsOf[*report.Error](e) {
		t.Errorf("%v: %s\n%v", level, err.Message, p)
	}
	if list := reportsOf[C](e); len(list) == 1 {
		c = list[0]
	}
	return c
}
