package mariadb

import (
	"math/rand/v2"
	"slices"

	"github.com/txmc/txmc/isolation/statement"
)

// Random programs, for tests.

// Features say what a random program may contain.
type Features struct {
	Sessions int  // at most so many, at least 2
	Dense    bool // few rows, many locks and inserts of the same keys
	Wait     bool // NOWAIT and SKIP LOCKED
	Save     bool // savepoints
	Child    bool // the table c with its foreign key
	Ranges   bool // an index on v, and ranges of indexes in place of predicates
	Mixed    bool // transactions at levels of their own
	Budget   int  // at most so many interleavings
}

// Mix chooses features by seed.
func Mix(seed uint64, budget int) Features {
	return Features{Sessions: 2 + int(seed%2), Dense: seed%3 == 0, Wait: seed%4 == 0, Ranges: seed%5 == 4, Save: seed%7 == 6, Child: seed%6 == 5, Mixed: seed%10 == 9, Budget: budget}
}

// Levels are the levels of programs, as package statement names them.
var Levels = []string{statement.ReadCommitted, statement.RepeatableRead, statement.SnapshotReads, statement.Serializable}

type generator struct {
	*rand.Rand
	f     Features
	level string
}

// Generate makes a program from a seed, always the same.
func Generate(seed uint64, level string, f Features) *statement.Program {
	g := &generator{rand.New(rand.NewPCG(seed, 2)), f, level}
	for {
		p := g.program()
		if n := p.Interleavings(); n >= 6 && n <= f.Budget {
			p.Seed = int64(seed)
			return p
		}
	}
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func choose[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

func (g *generator) program() *statement.Program {
	p := &statement.Program{DB: statement.MariaDB, Level: g.level, IndexV: g.f.Ranges}
	p.Rows = []statement.Row{{ID: 1, V: 10, U: choose(g, 0, 7)}, {ID: 2, V: 20}}
	if g.chance(40) {
		p.Rows = append(p.Rows, statement.Row{ID: 3, V: choose(g, 10, 30), U: choose(g, 0, 8)})
	}
	if p.HasChild = g.f.Child; p.HasChild && g.chance(50) {
		p.Children = []statement.ChildRow{{ID: 1, Tid: 1}}
	}
	n := 2 + g.IntN(g.f.Sessions-1)
	for range n {
		session := []statement.Transaction{g.transaction()}
		if n == 2 && g.chance(50) {
			session = append(session, g.transaction())
		}
		p.Sessions = append(p.Sessions, session)
	}
	return p
}

func (g *generator) transaction() statement.Transaction {
	t := statement.Transaction{}
	if g.f.Mixed {
		t.Level = choose(g, Levels...)
	}
	if g.chance(22) {
		t.Auto, t.Stmts = true, []statement.Statement{g.statement()}
		return t
	}
	most, read := 4, false
	if g.f.Dense {
		most = 3
	}
	for range 1 + g.IntN(most) {
		s := g.statement()
		t.Stmts = append(t.Stmts, s)
		read = read || reads(s.Op)
		if read && g.chance(10) {
			t.Stmts = append(t.Stmts, statement.Statement{Op: statement.Quit, C: choose(g, 5, 11, 21, 31)})
		}
	}
	if g.f.Save && len(t.Stmts) > 1 {
		t.Stmts = g.saved(t.Stmts)
	}
	t.GoOn, t.Rollback = g.chance(7), g.chance(12)
	return t
}

// saved puts a savepoint, and often the return to it, between statements.
func (g *generator) saved(stmts []statement.Statement) []statement.Statement {
	at := g.IntN(len(stmts))
	stmts = slices.Insert(stmts, at, statement.Statement{Op: statement.Save})
	if g.chance(80) {
		stmts = slices.Insert(stmts, at+2+g.IntN(len(stmts)-at-1), statement.Statement{Op: statement.BackTo})
	}
	return stmts
}

// ranged is a statement of a program with ranges.
func (g *generator) ranged() statement.Statement {
	s := statement.Statement{C: choose(g, 1, 2, 10, -5, 20), By: choose(g, "id", "v", "v", "u")}
	bounds := map[string][]int{"id": {1, 2, 3, 4}, "v": {5, 10, 15, 20, 30}, "u": {6, 7, 8, 9}}[s.By]
	i := g.IntN(len(bounds))
	s.D, s.E = bounds[i], bounds[i+g.IntN(len(bounds)-i)]
	switch k := g.IntN(10); {
	case k == 0:
		s.D = statement.All
	case k == 1:
		s.E = statement.All
	}
	switch k := g.IntN(10); {
	case k < 2:
		s.Op = statement.Range
	case k < 6:
		s.Op = statement.Range
		g.lock(&s)
	default:
		s.Op = statement.UpdRange
		return s
	}
	s.Desc = s.D != s.E && g.chance(30)
	if g.chance(30) {
		s.Limit = 1 + g.IntN(2)
	}
	return s
}

// statement is a random statement.
func (g *generator) statement() statement.Statement {
	if g.f.Ranges && g.chance(50) {
		return g.ranged()
	}
	for {
		if g.f.Child && g.chance(30) {
			return choose(g, statement.Statement{Op: statement.Child, C: 1 + g.IntN(2), ID: 1 + g.IntN(3)},
				statement.Statement{Op: statement.DelKey, ID: 1 + g.IntN(3)}, statement.Statement{Op: statement.DelChild, C: 1 + g.IntN(2)},
				statement.Statement{Op: statement.UpdChild, C: 1 + g.IntN(2), ID: 1 + g.IntN(3)})
		}
		s := g.simple()
		switch s.Op {
		case statement.Scan, statement.Agg, statement.UpdPred, statement.DelPred:
			if g.f.Ranges {
				continue // the server could choose between two indexes
			}
		}
		return s
	}
}

func (g *generator) simple() statement.Statement {
	s := statement.Statement{ID: 1 + g.IntN(3), C: choose(g, 1, 2, 10, -5, 20), D: statement.All}
	if g.f.Dense {
		s.ID = 1 + g.IntN(2)
	}
	if g.chance(75) {
		s.D = choose(g, 5, 10, 11, 20, 21)
	}
	switch k := g.IntN(100); {
	case k < 8:
		s.Op = statement.Get
	case k < 18:
		s.Op = statement.Get
		g.lock(&s)
	case k < 22:
		s.Op = statement.Scan
	case k < 32:
		s.Op = statement.Scan
		g.lock(&s)
	case k < 38:
		s.Op = statement.Agg
	case k < 50:
		s.Op = statement.UpdKey
	case k < 57:
		s.Op = statement.UpdLocal
	case k < 68:
		s.Op = statement.UpdPred
	case k < 84:
		g.insert(&s)
	case k < 91:
		s.Op = statement.DelKey
	case k < 96:
		s.Op = statement.DelPred
	case k < 98 && g.f.Ranges:
		s.Op, s.C = statement.UpdID, 1+g.IntN(4)
	default:
		s.Op, s.U = statement.UpdU, choose(g, 0, 7, 8, 9)
	}
	return s
}

func (g *generator) lock(s *statement.Statement) {
	s.Lock = choose(g, statement.ForUpdate, statement.ForUpdate, statement.ForShare)
	if g.f.Wait && g.chance(20) {
		s.Wait = choose(g, statement.NoWait, statement.SkipLocked)
	}
}

func (g *generator) insert(s *statement.Statement) {
	s.Op, s.C, s.U = statement.Insert, choose(g, 5, 10, 15, 20), choose(g, 0, 0, 7, 8)
	s.Conflict = choose(g, "", "", "", statement.DoNothing, statement.DoNothing, statement.DoUpdate, statement.DoUpdate)
	if !g.f.Dense && s.Conflict == "" && g.chance(70) {
		s.ID = 3 + g.IntN(2)
	} else {
		s.ID = 1 + g.IntN(4)
	}
}

func reads(op statement.Op) bool {
	return op == statement.Get || op == statement.Scan || op == statement.Agg || op == statement.Range
}
