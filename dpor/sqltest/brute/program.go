package brute

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// The tables of random programs, and their first rows.
const (
	Schema = `CREATE TABLE p (id int PRIMARY KEY, u int UNIQUE, v int NOT NULL);
		CREATE TABLE c (id int PRIMARY KEY, p int, v int NOT NULL, FOREIGN KEY (p) REFERENCES p (id));`
	Seed = `INSERT INTO p VALUES (1, 1, 0), (2, 2, 1); INSERT INTO c VALUES (1, 1, 0);`
)

// Statement is a statement of a random program.
type Statement struct {
	Kind    string // see Language
	Table   string // p or c
	ID, U   int    // keys; of c, U is the parent
	V       int
	Guarded bool // behind a savepoint, to which an error goes back
	Undone  bool // to which it goes back in any case
}

// Language is a dialect of SQL.
type Language struct {
	// Kinds are the kinds of statements with their SQL: %[1]s the table, %[2]d the id,
	// %[3]d the unique value or the parent, %[4]d the value.
	Kinds map[string]string
	// Often are the kinds that make transactions depend on each other most. They come up
	// as often as all others together.
	Often []string
	// Refused is how a client notes the error of a constraint; "" for other errors.
	Refused func(error) string
}

// SQL is the text of a statement of a client that has read a value last. The kind "last"
// writes that value and one.
func (l *Language) SQL(s Statement, last int) string {
	v := s.V
	if s.Kind == "last" {
		v = last + 1
	}
	text := fmt.Sprintf(l.Kinds[s.Kind]+" -- %[1]s %[2]d %[3]d %[4]d", s.Table, s.ID, s.U, v)
	text, _, _ = strings.Cut(text, " --")
	return text
}

// Inserts reports whether a statement inserts rows.
func (l *Language) Inserts(s Statement) bool {
	return strings.HasPrefix(l.Kinds[s.Kind], "INSERT") || strings.HasPrefix(l.Kinds[s.Kind], "REPLACE")
}

// Program is sessions of transactions of statements. A transaction of one statement without
// a savepoint is committed by itself.
type Program [][][]Statement

// mostSessions is how many sessions a program has at most.
const mostSessions = 3

// New returns two sessions of one or two transactions, or three of one.
func (l *Language) New(r *rand.Rand) Program {
	shape := [][]int{{4}, {2, 2}, {3, 1}}[r.IntN(3)] // the most statements in a session's transactions
	p := make(Program, 2)
	if r.IntN(4) == 0 {
		p, shape = make(Program, mostSessions), []int{2}
	}
	for i := range p {
		for _, most := range shape {
			tx := make([]Statement, most-r.IntN(most/2+1))
			for k := range tx {
				tx[k] = l.statement(r)
				tx[k].Guarded = len(tx) > 1 && r.IntN(5) == 0
				tx[k].Undone = tx[k].Guarded && r.IntN(2) == 0
			}
			p[i] = append(p[i], tx)
		}
	}
	return p
}

// statement returns a statement, most often on the first rows.
func (l *Language) statement(r *rand.Rand) Statement {
	few := func() int { return []int{1, 1, 1, 2, 2, 3}[r.IntN(6)] }
	s := Statement{Kind: l.Often[r.IntN(len(l.Often))], Table: "p", ID: few(), U: few(), V: r.IntN(3)}
	if r.IntN(2) == 0 {
		all := slices.Sorted(maps.Keys(l.Kinds))
		s.Kind = all[r.IntN(len(all))]
	}
	text := l.Kinds[s.Kind]
	if strings.Contains(text, "INTO c") || strings.Contains(text, "UPDATE c") || strings.Contains(text, "%[1]s") && r.IntN(4) == 0 {
		s.Table = "c"
	}
	return s
}

// Statements are all of a program.
func (p Program) Statements() (all []Statement) {
	for _, session := range p {
		for _, tx := range session {
			all = append(all, tx...)
		}
	}
	return all
}

// Text writes a program for people.
func (l *Language) Text(p Program) string {
	var b strings.Builder
	for i, session := range p {
		for _, tx := range session {
			fmt.Fprintf(&b, "session %d:", i)
			for _, s := range tx {
				mark := map[[2]bool]string{{true, false}: " guarded", {true, true}: " undone"}[[2]bool{s.Guarded, s.Undone}]
				fmt.Fprintf(&b, " %s;%s", l.SQL(s, -1), mark)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}
