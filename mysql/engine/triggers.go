package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/storage"
)

// A trigger's statements lock as they do by themselves: UPDATE and DELETE lock the rows that they
// change. The locks are those of the statement that fires it. A table that the statement
// reads itself is locked as the statement says.

// lockTriggers adds the locks of the triggers that a statement fires, and of those that these
// fire.
func lockTriggers(locks storage.Locks, s sqlparser.Statement, triggers []sql.TriggerDefinition) {
	if len(triggers) == 0 {
		return
	}
	names := readOrWritten(s)
	fired := map[string]bool{}
	for more := changedTables(s); len(more) > 0; {
		table := more[0]
		more = more[1:]
		if fired[table] {
			continue
		}
		fired[table] = true
		for _, t := range triggers {
			on, body := triggerOf(t.CreateStatement)
			if body == nil || on != table {
				continue
			}
			for _, inner := range statementsOf(body) {
				for name, lock := range locksOf(inner) {
					if _, known := locks[name]; !known && !names[name] {
						_, lock.Updates = inner.(*sqlparser.Update)
						lock.Fired = lock.Updates || isDelete(inner)
						locks[name] = lock
					}
				}
				more = append(more, changedTables(inner)...)
			}
		}
	}
}

// triggerOf is the table of a trigger, in lower case, and what it does.
func triggerOf(create string) (table string, body sqlparser.Statement) {
	tree, err := sqlparser.Parse(create)
	if d, ok := tree.(*sqlparser.DDL); ok && err == nil && d.TriggerSpec != nil {
		return strings.ToLower(d.Table.Name.String()), d.TriggerSpec.Body
	}
	return "", nil
}

// statementsOf are the statements in a trigger's body that read or change rows.
func statementsOf(body sqlparser.Statement) (list []sqlparser.Statement) {
	// No error comes of a visit that has none.
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.Update:
			list = append(list, n)
		case *sqlparser.Delete:
			list = append(list, n)
		case *sqlparser.Insert:
			list = append(list, n)
		case *sqlparser.Select:
			list = append(list, n)
		}
		return true, nil
	}, body)
	return list
}

func isDelete(s sqlparser.Statement) bool {
	_, is := s.(*sqlparser.Delete)
	return is
}

// changedTables are the tables that a statement changes, in lower case.
func changedTables(s sqlparser.Statement) (list []string) {
	switch s := s.(type) {
	case *sqlparser.Insert:
		list = append(list, strings.ToLower(s.Table.Name.String()))
	case *sqlparser.Update, *sqlparser.Delete:
		for name := range locksOf(s) {
			list = append(list, name)
		}
	}
	return list
}

// readOrWritten are the tables that a statement names, in lower case.
func readOrWritten(s sqlparser.Statement) map[string]bool {
	names := map[string]bool{}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if t, ok := n.(sqlparser.TableName); ok {
			names[strings.ToLower(t.Name.String())] = true
		}
		return true, nil
	}, s)
	return names
}
