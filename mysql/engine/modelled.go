package engine

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/model"
	"github.com/txmc/txmc/mysql/storage"
	"github.com/txmc/txmc/program/access"
)

// Statements under a model of the database: their levels, what the model wants to know of
// them, and their ends.

// isolationVariable is the variable of the level, and oldIsolation its name in MariaDB 10 and
// MySQL 5.
const (
	isolationVariable = "transaction_isolation"
	oldIsolation      = "tx_isolation"
)

// accessVariable is the variable of the access mode.
const accessVariable = "transaction_read_only"

// alias gives the variables of the level and the access mode their values under the old names too.
func (c *Conn) alias() error {
	for _, name := range []string{isolationVariable, accessVariable} {
		v, err := c.session.GetSessionVariable(c.plain(), name)
		if err == nil {
			err = c.session.SetSessionVariable(c.plain(), strings.Replace(name, "transaction", "tx", 1), v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setsTransactions reports whether a SET is of the variable of the level, or of the access mode.
func setsTransactions(s *sqlparser.Set) bool {
	return slices.ContainsFunc(s.Exprs, func(e *sqlparser.SetVarExpr) bool {
		return nameOf(e) == isolationVariable || nameOf(e) == accessVariable
	})
}

// wasSet is called after a SET.
func (c *Conn) wasSet(s *sql.Context, p *sqlparser.Set) error {
	if setsMode(p) {
		if err := c.knownMode(s); err != nil {
			return err
		}
	}
	if setsTransactions(p) {
		return c.alias()
	}
	return nil
}

// limitVariable is the variable of the time limit of waits for locks, in seconds. Code that sets
// it says that a wait may end by it; by default, 50 s, none does.
const limitVariable = "innodb_lock_wait_timeout"

// unlimited is the least value that is no limit (InnoDB's lock_wait).
const unlimited = 100_000_000

// limitOf is the limit of so many seconds; there is none for what is no number.
func limitOf(seconds string) model.Limit {
	switch n, err := strconv.ParseUint(seconds, 10, 64); {
	case err != nil: // DEFAULT
	case n == 0:
		return model.NoWait
	case n < unlimited:
		return model.Limited
	}
	return model.NoLimit
}

// isolations are the values of that variable.
var isolations = [...]string{
	model.ReadCommitted: "READ-COMMITTED", model.RepeatableRead: "REPEATABLE-READ", model.SnapshotIsolation: "REPEATABLE-READ", model.Serializable: "SERIALIZABLE",
	model.ReadUncommitted: "READ-UNCOMMITTED",
}

// setLevel is SET TRANSACTION ISOLATION LEVEL and SET SESSION TRANSACTION …; it reports false
// for another SET.
func (c *Conn) setLevel(s *sqlparser.Set) bool {
	if len(s.Exprs) == 0 || strings.ToLower(s.Exprs[0].Name.Name.String()) != sqlparser.TransactionStr {
		return false
	}
	for _, e := range s.Exprs {
		v, ok := e.Expr.(*sqlparser.SQLVal)
		if !ok {
			continue
		}
		level, ok := strings.CutPrefix(strings.ToLower(string(v.Val)), "isolation level ")
		if !ok {
			c.setAccess(e.Scope, level == sqlparser.TxReadOnly)
			continue
		}
		level = strings.ToUpper(strings.ReplaceAll(level, " ", "-"))
		if e.Scope == sqlparser.SetScope_None {
			c.next = level
			continue
		}
		_ = c.session.SetSessionVariable(c.plain(), isolationVariable, level) // one of its four values
		_ = c.alias()                                                         // which has the same
	}
	return true
}

// setAccess is SET [SESSION] TRANSACTION READ ONLY, or READ WRITE.
func (c *Conn) setAccess(scope sqlparser.SetScope, readOnly bool) {
	if scope == sqlparser.SetScope_None {
		c.access(readOnly)
		return
	}
	c.session.ReadsOnly(readOnly)
	_ = c.session.SetSessionVariable(c.plain(), accessVariable, readOnly) // which is a boolean
	_ = c.alias()                                                         // which has the same
}

// announce tells the model that a statement comes.
func (c *Conn) announce(parsed sqlparser.Statement) error {
	if c.model == nil {
		return nil
	}
	level, err := c.levelNow()
	if err != nil {
		return err
	}
	if _, sets := parsed.(*sqlparser.Set); !sets {
		c.using = true
	}
	c.model.Limit(c.limit)
	c.model.Timed(c.timed())
	c.model.Unchecked(!c.checksForeign())
	c.model.Statement(level, c.session.GetIgnoreAutoCommit() || !c.Autocommit())
	return nil
}

// levelNow is the level of a transaction that would begin now.
func (c *Conn) levelNow() (model.Level, error) {
	name := c.next
	if name == "" {
		v, err := c.session.GetSessionVariable(c.plain(), isolationVariable)
		if err != nil {
			return 0, err
		}
		name, _ = v.(string)
	}
	switch strings.ToUpper(name) {
	case "READ-COMMITTED":
		return model.ReadCommitted, nil
	case "SERIALIZABLE":
		return model.Serializable, nil
	case "READ-UNCOMMITTED":
		return model.ReadUncommitted, nil
	}
	if c.snapshot {
		return model.SnapshotIsolation, nil
	}
	return model.RepeatableRead, nil
}

// ended ends a statement of a transaction that goes on: one that fails is undone, and some
// errors have rolled the transaction back.
func (c *Conn) ended(err error) error {
	var failed *model.Error
	switch {
	case err == nil && c.InTransaction():
		return c.model.Finish()
	case err == nil:
		c.forget()
		return nil
	case errors.As(cause(err), &failed) && failed.Hides(): // the client is not told that the transaction is gone
		if ended := c.model.Abort(); ended != nil {
			return ended
		}
	case errors.As(cause(err), &failed) && failed.Ends():
		c.session.SetTransaction(nil)
		c.session.Forget()
		c.session.SetIgnoreAutoCommit(false)
		c.forget()
		if ended := c.model.Abort(); ended != nil {
			return ended
		}
	case c.session.GetIgnoreAutoCommit() || !c.Autocommit():
		if undone := c.model.Undo(); undone != nil {
			return undone
		}
	}
	return err
}

// single undoes a statement that has failed and is a transaction by itself, before the
// engine commits it.
func (c *Conn) single(err error) error {
	if c.model == nil || c.session.GetIgnoreAutoCommit() || !c.Autocommit() {
		return err
	}
	c.session.SetTransaction(nil)
	if ended := c.model.Abort(); ended != nil {
		return ended
	}
	return err
}

// forget forgets the level of one transaction, which has ended.
func (c *Conn) forget() {
	if c.using {
		c.next, c.using = "", false
	}
}

// modelErrors are the errors of the model, with their SQLSTATEs, as MariaDB words them.
var modelErrors = map[string]*mysql.SQLError{
	"1020": mysql.NewSQLError(1020, "HY000", "Record has changed since last read"),
	"1205": mysql.NewSQLError(1205, "HY000", "Lock wait timeout exceeded; try restarting transaction"),
	"1969": mysql.NewSQLError(1969, "70100", "Query execution was interrupted (max_statement_time exceeded)"),
	"3572": errNoWait,
	"1213": mysql.NewSQLError(1213, "40001", "Deadlock found when trying to get lock; try restarting transaction"),
	"1467": mysql.NewSQLError(1467, "HY000", "Failed to read auto-increment value from storage engine"),
	"1451": mysql.NewSQLError(1451, "23000", "Cannot delete or update a parent row: a foreign key constraint fails"),
	"1452": mysql.NewSQLError(1452, "23000", "Cannot add or update a child row: a foreign key constraint fails"),
}

// statementOf is what a model wants to know of a statement.
func statementOf(parsed sqlparser.Statement) (st storage.Statement) {
	switch p := parsed.(type) {
	case *sqlparser.Insert:
		st.Changes, st.Replaces = true, p.Action == sqlparser.ReplaceStr
		st.Ignores = p.Ignore != ""
		st.Rows, st.Into = rowsOf(p), p.Table.Name.String()
	case *sqlparser.Delete:
		st.Changes, st.Deletes = true, true
	case *sqlparser.Update:
		st.Changes, st.Updates, st.Loose = true, true, p.Ignore != ""
	}
	_, shows := parsed.(*sqlparser.Show)
	st.Scans = !shows
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		if t, is := n.(sqlparser.TableName); is {
			st.Scans = st.Scans && !strings.EqualFold(t.DbQualifier.String(), "information_schema")
		}
		return true, nil
	}, parsed)
	return st
}

// rowsOf is how many rows an INSERT has in VALUES; 0 when it has them from a query.
func rowsOf(i *sqlparser.Insert) int {
	switch rows := i.Rows.(type) {
	case sqlparser.Values:
		return len(rows)
	case *sqlparser.AliasedValues:
		return len(rows.Values)
	}
	return 0
}

// Model makes the tables those of a model of the database, with the rows that the run has
// left.
func (e *Engine) Model(r *storage.Run) (*model.Catalog, *access.Database, error) {
	return e.db.Model(r, e.as)
}
