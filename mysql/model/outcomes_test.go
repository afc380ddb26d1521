package model_test

import (
	"context"
	"flag"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/innodb"
	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
)

var (
	modelPrograms = flag.Int("model-programs", 6, "random programs at each level under the model of InnoDB")
	modelSeed     = flag.Uint64("model-seed", 1, "the first program's seed")
	modelBudget   = flag.Int("model-budget", 60, "most interleavings of a program under the model of InnoDB")
)

var modelLevels = map[string]isolation.Level{statement.ReadCommitted: isolation.InnoRC, statement.RepeatableRead: isolation.InnoRR,
	statement.SnapshotReads: isolation.InnoRRSI, statement.Serializable: isolation.InnoSer}

// TestModelOutcomes explores random programs of SQL under the model of InnoDB: the engine
// evaluates the statements. The outcomes are those of the model's own machine, which is
// compared with real servers.
func TestModelOutcomes(t *testing.T) {
	for _, level := range mariadb.Levels {
		t.Run(level, func(t *testing.T) {
			for seed := *modelSeed; seed < *modelSeed+uint64(*modelPrograms); seed++ {
				p := mariadb.Generate(seed, level, mariadb.Mix(seed, *modelBudget))
				sqltest.Compare(t, p, machineOutcomes(t, p), sqlOutcomes(t, p), [2]string{"the machine", "SQL"})
			}
		})
	}
}

// machineOutcomes are the outcomes of the model's machine, over all interleavings and
// races.
func machineOutcomes(t *testing.T, p *statement.Program) map[string]bool {
	t.Helper()
	first, err := innodb.NewMachine(p, innodb.Options{Races: true})
	if err != nil {
		t.Fatal(err)
	}
	first.CommitApart()
	var keyer innodb.Keyer
	x := sqltest.Machine[*innodb.Machine, innodb.Key, innodb.Choice]{
		Key:     func(m *innodb.Machine) innodb.Key { return m.Key(&keyer) },
		Enabled: func(m *innodb.Machine) []innodb.Choice { return m.Enabled(nil) },
		Copy: func(m *innodb.Machine) *innodb.Machine {
			n := &innodb.Machine{}
			n.CopyFrom(m)
			return n
		},
		Step:    (*innodb.Machine).Step,
		Outcome: (*innodb.Machine).Outcome,
	}
	return x.Outcomes(first)
}

// sqlOutcomes are those of the program as SQL, where each statement is a step.
func sqlOutcomes(t *testing.T, p *statement.Program) map[string]bool {
	t.Helper()
	return sqlOutcomesIn(t, p, states.Statements)
}

func sqlOutcomesIn(t *testing.T, p *statement.Program, steps states.Steps) map[string]bool {
	t.Helper()
	return sqltest.OutcomesIn(t, p, modelLevels[p.Level], steps, func(q *program.Program) {
		db := mysql.New(q, mysql.Schema(strings.Join(mariadb.Schema(p), ";")), mysql.Seed(strings.Join(mariadb.Rows(p), ";")))
		for i := range p.Sessions {
			q.Session("s"+string(rune('0'+i)), func(s *program.Session) { converse(s, db, p, i) })
		}
	})
}

// converse is the client of a session.
func converse(s *program.Session, db *mysql.DB, p *statement.Program, i int) {
	ctx := context.Background()
	conn, err := db.Open(s).Conn(ctx)
	if err != nil {
		s.Observe("", err.Error())
		return
	}
	defer conn.Close()
	send := func(a statement.Action) statement.Result {
		t := &p.Sessions[i][a.Txn]
		if a.First || t.Auto {
			for _, q := range mariadb.SetLevel(p.LevelOf(t)) {
				if _, err := conn.ExecContext(ctx, q); err != nil {
					return statement.Fail(err.Error())
				}
			}
		}
		r, err := mariadb.Send(ctx, conn, p, i, a)
		if err != nil {
			return statement.Fail(err.Error())
		}
		return r
	}
	sqltest.Converse(s, p, i, send, func() { conn.ExecContext(ctx, "ROLLBACK") })
}

// The tests of package mysql have this flag; here it has no effect, so that it can be
// given for all packages at once.
var _ = flag.String("corpus", "", "directory of recorded statements")
