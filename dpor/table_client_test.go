package dpor_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Programs of statements as client programs with a table, as a user would write them.

// line is a row of t beside its key.
type line struct{ V, U int }

// kid is a row of c beside its key.
type kid struct{ Tid int }

// tableClient is a session of a program of statements.
type tableClient struct {
	program *statement.Program
	table   *program.Table[int, line]
	child   *program.Table[int, kid]
	session *program.Session
	local   int
}

// withTable is the program as a client program.
func withTable(p *statement.Program) func(*program.Program) {
	return func(q *program.Program) {
		t := program.NewTable[int, line](q, "t", program.Unique("u", func(l line) any {
			if l.U == 0 {
				return nil
			}
			return l.U
		}))
		var child *program.Table[int, kid]
		if p.HasChild {
			child = program.NewTable[int](q, "c", program.References("tid", func(k kid) any { return k.Tid }, t))
		}
		q.Setup(func(tx *program.Tx) error {
			for _, r := range p.Rows {
				if err := t.Insert(tx, r.ID, line{r.V, r.U}); err != nil {
					return err
				}
			}
			for _, r := range p.Children {
				if err := child.Insert(tx, r.ID, kid{r.Tid}); err != nil {
					return err
				}
			}
			return nil
		})
		for i, txns := range p.Sessions {
			q.Session(fmt.Sprint("s", i), func(s *program.Session) {
				c := &tableClient{program: p, table: t, child: child, session: s}
				for k := range txns {
					c.transaction(&txns[k])
				}
			})
		}
	}
}

func (c *tableClient) see(text string) { c.session.Observe("", text) }

// errorText is the result of a statement that has failed.
func errorText(err error) string {
	var db *behaviour.DBError
	if errors.As(err, &db) {
		return "!" + db.Code()
	}
	return "?" + err.Error()
}

// ends reports whether InnoDB's error ends the transaction.
func ends(text string) bool { return text == "!1213" || text == "!1020" }

func (c *tableClient) transaction(t *statement.Transaction) {
	if t.Auto {
		text := ""
		if err := c.session.Auto(func(tx *program.Tx) { text, _ = c.statement(tx, &t.Stmts[0], false) }); err != nil {
			text = errorText(err)
		}
		c.see(text)
		return
	}
	postgres := c.program.DB == statement.PostgreSQL
	silent, met, saved := false, false, false // the end has no result; it follows an error
	err := c.session.Txn("t", func(tx *program.Tx) error {
		failed := false
		for i := range t.Stmts {
			st := &t.Stmts[i]
			if st.Op == statement.Quit {
				if c.local < st.C {
					met = failed && postgres
					return errRollback
				}
				continue
			}
			switch {
			case failed && postgres && st.Op != statement.BackTo:
				c.see("!25P02")
				continue
			case postgres && st.Op == statement.BackTo && !saved:
				c.see("!3B001")
				continue
			}
			saved = saved || st.Op == statement.Save
			text, bad := c.statement(tx, st, true)
			c.see(text)
			failed = bad
			switch {
			case !bad:
			case ends(text), postgres && !t.GoOn:
				silent = true
				return nil
			case !t.GoOn:
				return errRollback
			}
		}
		if t.Rollback {
			return errRollback
		}
		met = failed && postgres // COMMIT answers ROLLBACK
		return nil
	}, c.modes(t)...)
	switch {
	case silent:
	case errors.Is(err, errRollback), err != nil && t.Rollback, met:
		c.see("R")
	case err != nil:
		c.see(errorText(err))
	default:
		c.see("C")
	}
}

// modes are the options of a transaction.
func (c *tableClient) modes(t *statement.Transaction) []program.TxnOption {
	list := []program.TxnOption{program.At(levelsOf[c.program.DB][c.program.LevelOf(t)])}
	if t.ReadOnly {
		list = append(list, program.ReadOnly)
	}
	if t.Deferrable {
		list = append(list, program.Deferrable)
	}
	return list
}

// statement runs a statement and returns its result, and whether it has failed.
func (c *tableClient) statement(tx *program.Tx, st *statement.Statement, keep bool) (text string, failed bool) {
	text = c.result(tx, st, keep)
	if err := tx.Err(); err != nil {
		return errorText(err), true
	}
	return text, false
}

func (c *tableClient) result(tx *program.Tx, st *statement.Statement, keep bool) string {
	t := c.table
	from := func(_ int, l line) bool { return st.D == statement.All || l.V >= st.D }
	plus := func(l line) line { return line{l.V + st.C, l.U} }
	switch st.Op {
	case statement.Get:
		l, ok := t.Get(tx, st.ID, options(st)...)
		if !ok {
			return c.rows(nil, keep && tx.Err() == nil)
		}
		return c.rows([]program.Row[int, line]{{Key: st.ID, Value: l}}, keep)
	case statement.Scan:
		list := t.Select(tx, from, options(st)...)
		return c.rows(list, keep && tx.Err() == nil)
	case statement.Agg:
		list := t.Select(tx, from)
		c.rows(list, keep && tx.Err() == nil)
		sum := 0
		for _, r := range list {
			sum += r.Value.V
		}
		return fmt.Sprintf("n%d/%d", len(list), sum)
	case statement.UpdKey, statement.UpdLocal, statement.UpdU:
		local := c.local
		return one(t.Update(tx, st.ID, func(l line) (line, bool) {
			switch st.Op {
			case statement.UpdLocal:
				return line{local + st.C, l.U}, true
			case statement.UpdU:
				return line{l.V, st.U}, true
			}
			return plus(l), true
		}))
	case statement.UpdPred:
		return fmt.Sprint(t.UpdateAll(tx, func(id int, l line) (line, bool) { return plus(l), from(id, l) }))
	case statement.DelKey:
		return one(t.Delete(tx, st.ID))
	case statement.DelPred:
		return fmt.Sprint(t.DeleteAll(tx, from))
	case statement.Child:
		return one(c.child.Insert(tx, st.C, kid{st.ID}) == nil)
	case statement.UpdChild:
		return one(c.child.Update(tx, st.C, func(kid) (kid, bool) { return kid{st.ID}, true }))
	case statement.DelChild:
		return one(c.child.Delete(tx, st.C))
	case statement.Save:
		tx.Savepoint("s")
		return "S"
	case statement.BackTo:
		tx.RollbackTo("s")
		return "R"
	}
	return c.insert(tx, st, plus)
}

func (c *tableClient) insert(tx *program.Tx, st *statement.Statement, plus func(line) line) string {
	l := line{st.C, st.U}
	switch st.Conflict {
	case statement.DoNothing:
		return one(c.table.InsertOrIgnore(tx, st.ID, l))
	case statement.DoUpdate:
		n, _ := c.table.InsertOrUpdate(tx, st.ID, l, plus)
		return fmt.Sprint(n)
	}
	return one(c.table.Insert(tx, st.ID, l) == nil)
}

func one(changed bool) string { return map[bool]string{true: "1", false: "0"}[changed] }

func options(st *statement.Statement) (list []behaviour.ReadOption) {
	if o, ok := map[string]behaviour.ReadOption{statement.ForUpdate: behaviour.ForUpdate, statement.ForShare: behaviour.ForShare}[st.Lock]; ok {
		list = append(list, o)
	}
	if o, ok := map[string]behaviour.ReadOption{statement.NoWait: behaviour.NoWait, statement.SkipLocked: behaviour.SkipLocked}[st.Wait]; ok {
		list = append(list, o)
	}
	return list
}

// rows is the text of rows. keep makes their sum the client's.
func (c *tableClient) rows(list []program.Row[int, line], keep bool) string {
	sum := 0
	var text []string
	for _, r := range list {
		sum += r.Value.V
		text = append(text, fmt.Sprintf("%d=%d", r.Key, r.Value.V))
	}
	if keep {
		c.local = sum
	}
	if text == nil {
		return "-"
	}
	return strings.Join(text, ",")
}

// known makes a program one of statements that tables have.
func known(p *statement.Program) bool {
	for _, txns := range p.Sessions {
		for i := range txns {
			t := &txns[i]
			t.ReadOnly = t.ReadOnly && p.DB == statement.PostgreSQL
			saved := false
			for k := range t.Stmts {
				st := &t.Stmts[k]
				switch {
				case st.Lock == statement.ForKeyShare:
					st.Lock = statement.ForShare
				case st.Lock == statement.ForNoKeyUpdate:
					st.Lock = statement.ForUpdate
				case st.Conflict == statement.DoNothingID:
					st.Conflict = statement.DoNothing
				}
				saved = saved || st.Op == statement.Save
				if st.Op == statement.BackTo && !saved {
					return false
				}
			}
		}
	}
	return true
}
