package model_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

var (
	serverPrograms = flag.Int("server-programs", 4, "random programs at each level on a real server")
	serverSeed     = flag.Uint64("server-seed", 1, "the first program's seed")
	serverBudget   = flag.Int("server-budget", 20, "most interleavings of a program on a real server")
)

// TestModelOnServer runs all interleavings of random SQL programs on a MariaDB server that
// it starts, where one is installed. The outcomes are those of the model, but for the
// victims of deadlocks. The server takes the transaction that has done least as the
// victim, and the model takes any.
func TestModelOnServer(t *testing.T) {
	server := scratchtest.Start(t, scratch.MariaDB, map[string]string{
		"innodb-flush-log-at-trx-commit": "0", "innodb-doublewrite": "0", "innodb-lock-wait-timeout": "10000"})
	r, err := mariadb.Connect(t.Context(), server.DSN(""), 2)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	kinds := map[string]func(uint64, string) *mariadb.Script{"": mariadb.RandomScript, " keys": mariadb.KeyedScript}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		for _, level := range mariadb.Levels {
			t.Run(level+kind, func(t *testing.T) { compareScripts(t, r, kinds[kind], level) })
		}
	}
}

// compareScripts compares random programs of a kind at a level.
func compareScripts(t *testing.T, r *mariadb.Runner, kind func(uint64, string) *mariadb.Script, level string) {
	equal := 0
	seed := *serverSeed
	for n := 0; n < *serverPrograms; seed++ {
		p := kind(seed, level).Explicit()
		if p.Interleavings() > *serverBudget || p.Interleavings() < 2 {
			continue
		}
		n++
		if compareScript(t, r, seed, p) {
			equal++
		}
	}
	t.Logf("%d programs, the outcomes of %d are equal, of the others but for the victims of deadlocks", *serverPrograms, equal)
}

// compareScript reports whether the outcomes are equal, and an error unless they are, but
// for victims.
func compareScript(t *testing.T, r *mariadb.Runner, seed uint64, p *mariadb.Script) bool {
	t.Helper()
	real, _, err := r.Outcomes(t.Context(), p, 1000)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, p.Text())
	}
	model := sqltest.ScriptOutcomes(t, p, modelLevels[p.Level], func(q *program.Program) { script(q, p) })
	for _, o := range slices.Sorted(maps.Keys(real)) {
		if !model[o] {
			t.Errorf("seed %d: only the server has %s, by schedule %s\n%s", seed, o, real[o], p.Text())
			break
		}
	}
	equal, explicit := true, slices.EqualFunc(p.Sessions, p.Explicit().Sessions, slices.Equal) // else no schedule puts others before a commit
	for _, o := range slices.Sorted(maps.Keys(model)) {
		if _, ok := real[o]; ok {
			continue
		}
		if equal = false; explicit && !strings.Contains(o, "!1213") && !((strings.Contains(o, "!1205") || strings.Contains(o, "!1467")) && slices.ContainsFunc(p.Settings, limits)) {
			t.Errorf("seed %d: only the model has %s\n%s", seed, o, p.Text())
			break
		}
	}
	return equal
}

// limits reports whether a statement sets a time limit, after which a wait may end on the
// server if others take as long.
func limits(statement string) bool {
	return strings.Contains(statement, "innodb_lock_wait_timeout") && !strings.HasSuffix(statement, " 0")
}

// script declares a program of SQL text.
func script(q *program.Program, p *mariadb.Script) {
	schema := mysql.SchemaFunc(func(ctx context.Context, db *sql.DB) error { // which does not split a trigger
		for _, q := range p.Schema {
			if _, err := db.ExecContext(ctx, q); err != nil {
				return fmt.Errorf("%s: %w", q, err)
			}
		}
		return nil
	})
	db := mysql.New(q, schema, mysql.Seed(strings.Join(p.Rows, ";")), mysql.Database("test"))
	for i := range p.Sessions {
		q.Session("s"+string(rune('0'+i)), func(s *program.Session) {
			ctx := context.Background()
			conn, err := db.Open(s).Conn(ctx)
			if err != nil {
				s.Observe("", err.Error())
				return
			}
			defer conn.Close()
			for _, q := range p.Settings {
				if _, err := conn.ExecContext(ctx, q); err != nil {
					s.Observe("", err.Error())
					return
				}
			}
			for at := 0; at < len(p.Sessions[i]); {
				result, next, err := p.SendSQL(ctx, conn, i, at)
				if err != nil {
					s.Observe("", err.Error())
					return
				}
				if result != "" {
					s.Observe("", result)
				}
				at = next
			}
		})
	}
}
