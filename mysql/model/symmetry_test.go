package model_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
)

// TestSymmetry: sessions that run the same statements are alike: random programs, and the
// scripts of this package, with numbers of AUTO_INCREMENT, triggers, cascades and tables
// without a primary key. In one of four random programs they are not.
func TestSymmetry(t *testing.T) {
	for _, level := range mariadb.Levels {
		t.Run(level, func(t *testing.T) {
			var sum symmetric
			for seed := *modelSeed; seed < *modelSeed+2*uint64(*modelPrograms); seed++ {
				r := rand.New(rand.NewPCG(seed, 19))
				p := mariadb.Generate(seed, level, mariadb.Mix(seed, *modelBudget))
				if r.IntN(4) > 0 {
					p.Sessions = slices.Repeat(p.Sessions[:1], 2+r.IntN(2))
				}
				if p.Interleavings() <= 20_000 {
					sum.compare(t, p.Text(), modelLevels[level], len(p.Sessions), declared(p))
				}
			}
			sum.log(t)
		})
	}
	t.Run("scripts", func(t *testing.T) {
		var sum symmetric
		for i := range scripts {
			if i%4 > 0 && *modelPrograms < 20 {
				continue
			}
			s := &scripts[i]
			for _, session := range s.p.Sessions {
				p := s.p
				p.Sessions = slices.Repeat([][]string{session}, 2+i%2)
				sum.compare(t, s.name, modelLevels[p.Level], len(p.Sessions), func(q *program.Program) { script(q, &p) })
			}
		}
		sum.log(t)
	})
}

// symmetric counts explorations and states.
type symmetric struct {
	programs, alike int
	states, before  int64
}

// compare compares explorations with and without symmetry.
func (y *symmetric) compare(t *testing.T, text string, at isolation.Level, sessions int, declare func(*program.Program)) {
	t.Helper()
	c, err := program.NewClient(t.Name(), declare, program.Options{Patience: 10 * time.Minute, Database: true, Level: at.String(), Recheck: 4})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	set := make([]int, sessions)
	for i := range set {
		set[i] = i
	}
	with, without, err := sqltest.Symmetric(c, dpor.Options{Level: at, Workers: 1}, [][]int{set})
	if err != nil {
		t.Fatalf("%v\n%s\n%+v", err, text, with.Symmetry)
	}
	if y.programs++; len(with.Symmetry.Sets) > 0 {
		y.alike, y.states, y.before = y.alike+1, y.states+with.Explored, y.before+without.Explored
	}
}

func (y *symmetric) log(t *testing.T) {
	t.Logf("%d programs, %d with symmetry: %d states, %d without", y.programs, y.alike, y.states, y.before)
	if 2*y.alike < y.programs {
		t.Error("too few programs have symmetry")
	}
}

// declared is a program of statements as SQL.
func declared(p *statement.Program) func(*program.Program) {
	return func(q *program.Program) {
		db := mysql.New(q, mysql.Schema(strings.Join(mariadb.Schema(p), ";")), mysql.Seed(strings.Join(mariadb.Rows(p), ";")))
		for i := range p.Sessions {
			q.Session(fmt.Sprint("s", i), func(s *program.Session) { converse(s, db, p, i) })
		}
	}
}
