package mysql_test

import (
	"context"
	"flag"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	exploring "github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/mysql/testdata/counter"
	"github.com/txmc/txmc/mysql/testdata/delivery"
	"github.com/txmc/txmc/mysql/testdata/hours"
	"github.com/txmc/txmc/mysql/testdata/oncall"
	"github.com/txmc/txmc/mysql/testdata/stock"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/database"
	"github.com/txmc/txmc/server/proxy/mariadb"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

// Programs on a real MariaDB server, which the tests start where one is installed.

var fullServer = flag.Bool("full-server", false, "run the examples on a real server at all levels, not each at one of them")

var onServerExamples = []func(*program.Program){
	counter.ExploreVisit, counter.ExploreVisitOnce, delivery.ExploreDeliver, delivery.ExploreDeliverLocked,
	hours.ExploreNewHour, hours.ExploreKnownHour, hours.ExploreNewHourOnce, oncall.ExploreLeave, oncall.ExploreLeaveLocked,
	stock.ExploreBuy, stock.ExploreBuyGuarded,
}

// serverLevels are the levels at which an example is run.
func serverLevels(example int) []isolation.Level {
	all := isolation.LevelsOf(isolation.InnoDB)
	if *fullServer {
		return all
	}
	return all[example%len(all):][:1]
}

// reported keeps what a run reports.
type reported struct{ list []any }

func (*reported) Turn(string, string, *dpor.Exploration) {}
func (e *reported) Event(event any)                      { e.list = append(e.list, event) }

// reportsOf are the events of a type.
func reportsOf[T any](e *reported) (list []T) {
	for _, event := range e.list {
		if x, ok := event.(T); ok {
			list = append(list, x)
		}
	}
	return list
}

// lent is a database of a throw-away server, for the time of a test.
func lent(t *testing.T) exploring.OnServer {
	t.Helper()
	scratchtest.Need(t, scratch.MariaDB)
	loan, err := database.Lend(t.Context(), "mariadb:temp", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := loan.End(); err != nil {
			t.Error(err)
		}
	})
	var at exploring.OnServer
	at.DSN, at.Kind = loan.Where()
	return at
}

// runOn runs a program on a server.
func runOn(t *testing.T, at exploring.OnServer, f func(*program.Program), levels ...isolation.Level) *reported {
	t.Helper()
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	name = name[strings.LastIndexByte(name, '.')+1:]
	e := &reported{}
	server := mariadb.New(at)
	defer server.Close()
	r := &exploring.Run{
		Package: "test", Sink: e, Server: server, Confirm: at.Confirm, Scope: exploring.Scope{All: at.Confirm, Group: at.Confirm},
		Options: exploring.Options{Levels: levels, Patience: 10 * time.Minute, MaxOps: 1000, Workers: 1, Recheck: 4, Shown: at.Compare},
	}
	if !at.Confirm {
		r.Task = server.Find(at.Compare)
	}
	r.Programs(context.Background(), []exploring.Program{{Name: name, Explore: f}})
	for _, err := range reportsOf[*report.Error](e) {
		t.Fatalf("%s: %s", name, err.Message)
	}
	return e
}

// Every violation of the examples that the model of InnoDB finds is confirmed on a real
// MariaDB server, one of each cause.
func TestConfirmedOnServer(t *testing.T) {
	at := lent(t)
	at.Confirm = true
	confirmed := 0
	for i, f := range onServerExamples {
		levels := serverLevels(i)
		e := runOn(t, at, f, levels...)
		if results := reportsOf[*report.Result](e); len(results) != len(levels) {
			t.Fatalf("%d results", len(results))
		}
		for _, v := range reportsOf[*report.Violation](e) {
			if confirmed++; v.Confirmation == nil || v.Confirmation.Verdict != report.Confirmed {
				t.Errorf("%s %s: %s\n%s", v.Program, v.Iso, v.Confirmation.Text(), (&report.Text{}).Violation(v))
			}
		}
	}
	if confirmed < 2 || *fullServer && confirmed < 8 {
		t.Errorf("%d violations were confirmed", confirmed)
	}
	t.Logf("%d violations", confirmed)
}

// The outcomes of the examples on a real server are those under the model, all of them.
func TestSameOutcomesOnServer(t *testing.T) {
	at := lent(t)
	at.Compare = true
	for i, f := range onServerExamples {
		levels := serverLevels(i)
		list := reportsOf[*report.ServerComparison](runOn(t, at, f, levels...))
		if len(list) != len(levels) {
			t.Fatalf("%d comparisons", len(list))
		}
		for _, c := range list {
			if c.Differ() > 0 || !c.Complete || c.Outcomes == 0 {
				t.Error((&report.Text{}).ServerComparison(c))
			}
		}
	}
}

// gorm opens a database with a ping and asks for the server's version. A ping is no statement,
// and the version is no part of an outcome. A server's outcomes with both are those under the
// model.
func TestPingOnServer(t *testing.T) {
	at := lent(t)
	at.Compare = true
	f := func(p *program.Program) {
		db := mysql.New(p, mysql.Schema("CREATE TABLE c (id INT PRIMARY KEY, n INT NOT NULL)"), mysql.Seed("INSERT INTO c VALUES (1, 0)"))
		for _, name := range []string{"a", "b"} {
			p.Session(name, func(s *program.Session) {
				c := db.Open(s)
				s.Assert(c.Ping() == nil, "the ping fails")
				var version string
				s.Assert(c.QueryRow("SELECT VERSION()").Scan(&version) == nil && version != "", "it has no version")
				tx, err := c.Begin()
				s.Assert(err == nil, err)
				_, err = tx.Exec("UPDATE c SET n = n + 1 WHERE id = ?", 1)
				s.Assert(err == nil, err)
				s.Assert(tx.Commit() == nil, "the commit fails")
			})
		}
	}
	list := reportsOf[*report.ServerComparison](runOn(t, at, f, isolation.InnoRR))
	if len(list) != 1 || list[0].Differ() > 0 || list[0].Outcomes == 0 {
		t.Error(len(list))
		for _, c := range list {
			t.Error((&report.Text{}).ServerComparison(c))
		}
	}
}
