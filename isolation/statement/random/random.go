// Package random makes random programs of statements, for tests. A seed always
// gives the same program.
package random

import (
	"math/rand/v2"

	"github.com/txmc/txmc/isolation/statement"
)

// Features says what a program may contain.
type Features struct {
	DB     string
	Level  string
	Mixed  []string // if not empty, half of the transactions have one of these levels
	Three  bool     // sometimes three sessions
	Child  bool     // the child table with its foreign key
	Save   bool     // savepoints
	Dense  bool     // few rows, many locks, many inserts of the same keys, often three sessions
	NoWait bool     // MariaDB: NOWAIT and SKIP LOCKED; PostgreSQL always has them
	// ReadOnly: PostgreSQL: many transactions are READ ONLY, some of them although they write,
	// and some are DEFERRABLE.
	ReadOnly bool
	// Adopted: with Child, rows of the child table go to other rows of t.
	Adopted bool
	Budget  int // at most so many interleavings
}

// Mix chooses features by seed: half of the programs have two sessions and t
// alone, the others have three sessions, the child table or savepoints; every
// fourth program is dense.
func Mix(seed int64, db, level string, budget int) Features {
	f := Features{DB: db, Level: level, Budget: budget, Dense: seed%4 == 3}
	pg := db == statement.PostgreSQL
	switch seed / 4 % 10 {
	case 5, 6:
		f.Three = true
	case 7:
		f.Child = pg
	case 8:
		f.Child, f.Three = pg, true
	case 9:
		f.Save, f.Three = pg, true
	}
	return f
}

// Program makes a program.
func Program(seed int64, f Features) *statement.Program {
	g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), 1977)), Features: f, pg: f.DB == statement.PostgreSQL}
	for {
		p := g.program()
		if p.Seed = seed; f.ReadOnly {
			g.restrict(p)
		}
		if f.Adopted && f.Child {
			g.adopt(p)
		}
		if k := p.Interleavings(); k >= 6 && k <= f.Budget {
			return p
		}
	}
}

type generator struct {
	*rand.Rand
	Features
	pg bool
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

func (g *generator) program() *statement.Program {
	p := &statement.Program{DB: g.DB, Level: g.Level, HasChild: g.Child}
	p.Rows = []statement.Row{{ID: 1, V: 10, U: pick(g, 0, 7)}, {ID: 2, V: 20}}
	if g.chance(40) {
		p.Rows = append(p.Rows, statement.Row{ID: 3, V: pick(g, 10, 30), U: pick(g, 0, 8)})
	}
	if g.Child && g.chance(50) {
		p.Children = []statement.ChildRow{{ID: 1, Tid: 1}}
	}
	n := 2
	if g.Three && g.chance(30) || g.Dense && g.chance(60) {
		n = 3
	}
	for range n {
		s := []statement.Transaction{g.transaction()}
		if g.chance(50) && !(g.Dense && n == 3) {
			s = append(s, g.transaction())
		}
		p.Sessions = append(p.Sessions, s)
	}
	return p
}

func (g *generator) transaction() statement.Transaction {
	var t statement.Transaction
	if len(g.Mixed) > 0 && g.chance(50) {
		t.Level = pick(g, g.Mixed...)
	}
	if g.chance(22) {
		t.Auto, t.Stmts = true, []statement.Statement{g.statement()}
		return t
	}
	t.Stmts = g.statements()
	if g.Save && g.chance(60) && len(t.Stmts) >= 2 {
		t.Stmts, t.GoOn = g.savepoint(t.Stmts), g.chance(60)
	} else {
		t.GoOn = g.chance(7)
	}
	t.Rollback = g.chance(12)
	serializable := g.Level == statement.Serializable || t.Level == statement.Serializable
	if g.pg && (g.chance(8) || serializable && g.chance(12)) {
		t.ReadOnly = onlyReads(t.Stmts)
	}
	return t
}

// restrict makes transactions READ ONLY.
func (g *generator) restrict(p *statement.Program) {
	for _, s := range p.Sessions {
		for i := range s {
			if t := &s[i]; !t.Auto && (onlyReads(t.Stmts) && g.chance(80) || g.chance(15)) {
				t.ReadOnly, t.Deferrable = true, g.chance(50)
			}
		}
	}
}

// adopt lets updates of t be updates of c.
func (g *generator) adopt(p *statement.Program) {
	for _, s := range p.Sessions {
		for _, t := range s {
			for i := range t.Stmts {
				switch t.Stmts[i].Op {
				case statement.UpdPred, statement.UpdLocal, statement.UpdU, statement.DelChild:
					if g.chance(70) {
						t.Stmts[i] = statement.Statement{Op: statement.UpdChild, C: 1 + g.IntN(2), ID: 1 + g.IntN(3)}
					}
				}
			}
		}
	}
}

func onlyReads(stmts []statement.Statement) bool {
	for _, s := range stmts {
		switch s.Op {
		case statement.Agg, statement.Quit:
		case statement.Get, statement.Scan:
			if s.Lock != "" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (g *generator) statements() (out []statement.Statement) {
	most, read := 4, false
	if g.Dense {
		most = 3
	}
	for range 1 + g.IntN(most) {
		s := g.statement()
		out = append(out, s)
		read = read || s.Op == statement.Get || s.Op == statement.Scan || s.Op == statement.Agg
		if read && g.chance(10) {
			out = append(out, statement.Statement{Op: statement.Quit, C: pick(g, 5, 11, 21, 31)})
		}
	}
	return out
}

// savepoint puts a savepoint before a statement, and mostly a ROLLBACK TO after
// a later one.
func (g *generator) savepoint(in []statement.Statement) []statement.Statement {
	at := g.IntN(len(in))
	out := append([]statement.Statement(nil), in[:at]...)
	out = append(out, statement.Statement{Op: statement.Save})
	out = append(out, in[at:]...)
	if g.chance(80) {
		k := at + 2 + g.IntN(len(out)-at-1)
		out = append(out[:k:k], append([]statement.Statement{{Op: statement.BackTo}}, out[k:]...)...)
	}
	return out
}

// The weights of the forms, in the order of forms.
var (
	forms = []statement.Op{statement.Get, statement.Scan, statement.Agg, statement.UpdKey, statement.UpdLocal,
		statement.UpdPred, statement.Insert, statement.DelKey, statement.DelPred, statement.UpdU, statement.Child, statement.DelChild}
	usual     = []int{18, 12, 8, 16, 8, 10, 12, 6, 4, 3, 0, 0}
	dense     = []int{16, 12, 4, 14, 6, 14, 20, 10, 8, 6, 0, 0}
	withChild = []int{18, 12, 8, 16, 8, 10, 12, 12, 4, 3, 16, 4}
)

func (g *generator) form() statement.Op {
	w := usual
	if g.Dense {
		w = dense
	}
	if g.Child {
		w = withChild
	}
	total := 0
	for _, x := range w {
		total += x
	}
	k := g.IntN(total)
	for i, x := range w {
		if k < x {
			return forms[i]
		}
		k -= x
	}
	return statement.Get
}

func (g *generator) statement() statement.Statement {
	s := statement.Statement{Op: g.form(), C: pick(g, 1, 2, 10, -5, 20), ID: 1 + g.IntN(3)}
	if g.Dense {
		s.ID = 1 + g.IntN(2)
	}
	switch s.Op {
	case statement.Get, statement.Scan:
		s.C = 0
		if s.Op == statement.Scan {
			s.ID, s.D = 0, g.bound()
		}
		if g.chance(55) {
			g.lock(&s)
		}
	case statement.Agg:
		s.C, s.ID, s.D = 0, 0, g.bound()
	case statement.UpdPred:
		s.ID, s.D = 0, g.bound()
	case statement.DelPred:
		s.C, s.ID, s.D = 0, 0, g.bound()
	case statement.UpdU:
		s.C, s.U = 0, pick(g, 0, 7, 8, 9)
	case statement.Insert:
		g.insert(&s)
	case statement.DelKey:
		s.C = 0
	case statement.Child:
		s.C = 1 + g.IntN(2)
	case statement.DelChild:
		s.C, s.ID = 1+g.IntN(2), 0
	}
	return s
}

func (g *generator) bound() int {
	if g.chance(25) {
		return statement.All
	}
	return pick(g, 5, 10, 11, 20, 21)
}

func (g *generator) lock(s *statement.Statement) {
	s.Lock = statement.ForUpdate
	if g.chance(35) {
		s.Lock = statement.ForShare
	}
	if g.pg && g.chance(20) {
		s.Lock = pick(g, statement.ForNoKeyUpdate, statement.ForKeyShare)
	}
	if (g.pg || g.NoWait) && g.chance(20) {
		s.Wait = pick(g, statement.NoWait, statement.SkipLocked)
	}
}

func (g *generator) insert(s *statement.Statement) {
	s.ID, s.C, s.U = 1+g.IntN(4), pick(g, 5, 10, 15, 20), pick(g, 0, 0, 7, 8)
	s.Conflict = pick(g, "", "", "", "", "", statement.DoNothing, statement.DoNothing,
		statement.DoNothingID, statement.DoNothingID, statement.DoUpdate, statement.DoUpdate, statement.DoUpdate)
	if !g.pg && s.Conflict == statement.DoNothingID {
		s.Conflict = statement.DoNothing
	}
	switch {
	case g.Dense:
		s.ID = 1 + g.IntN(3)
	case s.Conflict == "" && g.chance(70):
		s.ID = 3 + g.IntN(2)
	}
}
