// Package forms makes random programs in the forms in which people write SQL: queues with SKIP
// LOCKED, counters, upserts, foreign keys, functions with several queries, triggers, advisory
// locks, savepoints. Tests run them on servers and under models, and compare outcomes.
package forms

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/txmc/txmc/program"
)

// Class is what is special about a statement. A program has the classes of its statements.
type Class uint

// The classes.
const (
	Skips     Class = 1 << iota // SKIP LOCKED
	NoWait                      // NOWAIT
	Tries                       // pg_try_advisory_lock and its kin
	Advisory                    // advisory locks that are waited for
	Functions                   // functions with several queries
	Triggers                    // triggers that read or write
	Several                     // several rows are locked by one statement
	Upserts                     // ON CONFLICT, ON DUPLICATE KEY
	Foreign                     // foreign keys are checked
	Joins                       // UPDATE … FROM, DELETE … USING, INSERT … SELECT
	Saves                       // savepoints
	Alone                       // statements in autocommit
	Plans                       // the plan decides which rows a function locks
	All       Class = 1<<iota - 1
)

var names = []string{"skip locked", "nowait", "try-locks", "advisory locks", "functions", "triggers", "several rows", "upserts", "foreign keys", "joins", "savepoints", "autocommit", "plans"}

// String lists classes.
func (c Class) String() string {
	var list []string
	for i, name := range names {
		if c>>i&1 == 1 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}

// Program is a random program.
type Program struct {
	Seed     uint64
	Classes  Class
	Schema   string
	Rows     string // the seed
	Sessions [][]Transaction
}

// Transaction is one transaction, or in autocommit the one statement. After an error it is rolled
// back, or goes on after the last savepoint.
type Transaction struct {
	Alone      bool
	RollsBack  bool // in the end
	Statements []string
}

// form is a form of a statement: a function fills it in.
type form struct {
	classes Class
	weight  int
	text    func(r *rand.Rand) string
}

// dialect is what people write for one kind of server.
type dialect struct {
	tables string // the schema of all
	// triggers are parts of schemas of which some programs have one.
	triggers []string
	forms    []form
	save     [2]string // a savepoint, and the way back to it
}

// random makes a program with statements of the given classes.
func (d *dialect) random(seed uint64, classes Class) *Program {
	r := rand.New(rand.NewPCG(seed, 45))
	p := &Program{Seed: seed, Schema: d.tables, Rows: rows(r)}
	if classes&Triggers != 0 && r.IntN(4) == 0 {
		p.Schema += d.triggers[r.IntN(len(d.triggers))]
		p.Classes |= Triggers
	}
	var fits []form
	for _, f := range d.forms {
		for range f.weight {
			if f.classes&^classes == 0 {
				fits = append(fits, f)
			}
		}
	}
	sessions, most := 2, 3
	if r.IntN(5) == 0 {
		sessions, most = 3, 2
	}
	theme := fits[r.IntN(len(fits))] // sessions of people do alike
	for range sessions {
		p.Sessions = append(p.Sessions, d.session(r, p, classes, fits, theme, most))
	}
	return p
}

// session makes the transactions of a session.
func (d *dialect) session(r *rand.Rand, p *Program, classes Class, fits []form, theme form, most int) []Transaction {
	one := func() string {
		f := theme
		if r.IntN(3) > 0 {
			f = fits[r.IntN(len(fits))]
		}
		p.Classes |= f.classes
		return f.text(r)
	}
	if classes&Alone != 0 && r.IntN(4) == 0 {
		p.Classes |= Alone
		list := []Transaction{}
		for range 1 + r.IntN(2) {
			list = append(list, Transaction{Alone: true, Statements: []string{one()}})
		}
		return list
	}
	t := Transaction{RollsBack: r.IntN(12) == 0}
	saved := false
	for range 1 + r.IntN(most) {
		if classes&Saves != 0 && !saved && r.IntN(7) == 0 {
			p.Classes |= Saves
			t.Statements = append(t.Statements, d.save[0])
			saved = true
		}
		t.Statements = append(t.Statements, one())
		if saved && r.IntN(4) == 0 {
			t.Statements = append(t.Statements, d.save[1])
		}
	}
	return []Transaction{t}
}

// String is the program, for people.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %d (%v)\n%s\n%s\n", p.Seed, p.Classes, strings.TrimSpace(p.Schema), p.Rows)
	for i, session := range p.Sessions {
		for _, t := range session {
			begin, end := "BEGIN; ", "; COMMIT"
			if t.Alone {
				begin, end = "", ""
			} else if t.RollsBack {
				end = "; ROLLBACK"
			}
			fmt.Fprintf(&b, "s%d: %s%s%s\n", i+1, begin, strings.Join(t.Statements, "; "), end)
		}
	}
	return b.String()
}

// Declare declares the sessions, each on a database that open opens.
func (p *Program) Declare(to *program.Program, open func(*program.Session) *sql.DB) {
	for i, session := range p.Sessions {
		to.Session(fmt.Sprint("s", i+1), func(s *program.Session) {
			db := open(s)
			for _, t := range session {
				t.run(context.Background(), db)
			}
		})
	}
}

// both is what a database and a transaction do.
type both interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// run runs a transaction.
func (t *Transaction) run(ctx context.Context, db *sql.DB) {
	if t.Alone {
		send(ctx, db, t.Statements[0])
		return
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return
	}
	defer tx.Rollback() // nothing after Commit
	saved := false
	for _, text := range t.Statements {
		back := strings.HasPrefix(text, "ROLLBACK TO")
		if back && !saved {
			continue
		}
		saved = saved || strings.HasPrefix(text, "SAVEPOINT")
		if err = send(ctx, tx, text); err == nil {
			continue
		}
		if !saved {
			return
		}
		if _, err := tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT s"); err != nil {
			return
		}
	}
	if !t.RollsBack {
		tx.Commit()
	}
}

// rows are the first rows of the tables: items, and some parts of them.
func rows(r *rand.Rand) string {
	var items, parts []string
	for id := 1; id <= 2+r.IntN(2); id++ {
		items = append(items, fmt.Sprintf("(%d, 'c%d', %d, 'new')", id, id, r.IntN(6)))
		for k := range r.IntN(2) {
			parts = append(parts, fmt.Sprintf("(%d, %d)", id*10+k, id))
		}
	}
	text := "INSERT INTO item VALUES " + strings.Join(items, ", ")
	if len(parts) > 0 {
		text += "; INSERT INTO part (id, item_id) VALUES " + strings.Join(parts, ", ")
	}
	return text
}

// send runs a statement, and reads all of its rows.
func send(ctx context.Context, on both, text string) error {
	if !strings.HasPrefix(text, "SELECT") && !strings.HasPrefix(text, "WITH") && !strings.Contains(text, "RETURNING") {
		_, err := on.ExecContext(ctx, text)
		return err
	}
	rows, err := on.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// fill puts random values into a text: $i for the key of an item, $n for a new one or one that is there, $q for a
// small amount, $d for a direction, $w for a worker, $k for the key of a lock.
func fill(text string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string {
		var b strings.Builder
		for rest := text; ; {
			before, after, found := strings.Cut(rest, "$")
			b.WriteString(before)
			if !found {
				return b.String()
			}
			rest = after[1:]
			switch after[0] {
			case 'i':
				fmt.Fprint(&b, 1+r.IntN(3))
			case 'n':
				fmt.Fprint(&b, 2+r.IntN(4))
			case 'q':
				fmt.Fprint(&b, 1+r.IntN(3))
			case 'd':
				b.WriteString([]string{"", " DESC"}[r.IntN(2)])
			case 'w':
				b.WriteString([]string{"'ann'", "'bob'"}[r.IntN(2)])
			case 'k':
				fmt.Fprint(&b, 1+r.IntN(2))
			}
		}
	}
}
