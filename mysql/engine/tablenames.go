package engine

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Names of a statement beside the schema: they show whether a server does not find a name
// either, which the engine has not found.

// tableNames are the tables that a statement names, and the names that it gives itself.
type tableNames struct {
	tables  []sql.Table
	unknown []string // that are no tables, in lower case
	others  []string // aliases, names of CTEs and their columns, in lower case
	all     bool     // there is nothing of another database, no view, and no trigger
	usings  bool     // it has NATURAL JOIN or USING
}

// namesOf are the names of a statement.
func (c *Conn) namesOf(parsed sqlparser.Statement) *tableNames {
	s := c.plain()
	triggers, _ := c.engine.db.GetTriggers(s) // which never fails
	n := &tableNames{all: len(triggers) == 0 || !changes(parsed)}
	add := func(list ...sqlparser.ColIdent) {
		for _, x := range list {
			n.others = append(n.others, x.Lowered())
		}
	}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) { // whose function never fails
		switch node := node.(type) {
		case sqlparser.TableName:
			n.add(s, c.engine, node)
		case sqlparser.Nextval:
			n.all = false // of a sequence
		case *sqlparser.AliasedExpr:
			add(node.As)
		case *sqlparser.AliasedTableExpr:
			n.others = append(n.others, strings.ToLower(node.As.String()))
		case *sqlparser.CommonTableExpr:
			add(node.Columns...)
			n.others = append(n.others, strings.ToLower(node.As.String()))
		case *sqlparser.Subquery:
			add(node.Columns...)
		case *sqlparser.JoinTableExpr:
			n.usings = n.usings || len(node.Condition.Using) > 0 || strings.Contains(node.Join, "natural")
		}
		return true, nil
	}, parsed)
	return n
}

// add adds a table by its name.
func (n *tableNames) add(s *sql.Context, e *Engine, name sqlparser.TableName) {
	if name.IsEmpty() {
		return
	}
	if q := name.DbQualifier.String(); q != "" && !e.db.Is(q) {
		n.all = false
	}
	text := name.Name.String()
	t, ok, _ := e.db.GetTableInsensitive(s, text) // which never fails
	_, view, _ := e.db.GetViewDefinition(s, text)
	n.all = n.all && !view
	if ok {
		n.tables = append(n.tables, t)
	} else {
		n.unknown = append(n.unknown, strings.ToLower(text))
	}
}

// quoted finds the names in a message of the engine's.
var quoted = regexp.MustCompile(`["']([^"']+)["']`)

// identifier is a name that a server takes for a column's. Others may be words of its language.
var identifier = regexp.MustCompile(`^\w+$`)

// niladic are functions of a server's that have no parentheses, in lower case.
var niladic = strings.Fields("current_user current_role session_user system_user current_date current_time current_timestamp localtime localtimestamp utc_date utc_time utc_timestamp sysdate default maxvalue rownum")

// hasColumn reports whether a table has a column.
func hasColumn(t sql.Table, column string) bool {
	return slices.ContainsFunc(t.Schema(nil), func(c *sql.Column) bool { return strings.EqualFold(c.Name, column) })
}

// lackColumn reports whether no table or alias of the statement has the column that the engine
// did not find.
func (n *tableNames) lackColumn(message string) bool {
	found := quoted.FindAllStringSubmatch(message, -1)
	if len(found) == 0 || !n.all {
		return false
	}
	name := found[0][1]
	if strings.HasPrefix(message, "table ") {
		name = found[len(found)-1][1]
	}
	name = strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	return identifier.MatchString(name) && !slices.Contains(niladic, name) && !slices.Contains(n.others, name) &&
		!slices.ContainsFunc(n.tables, func(t sql.Table) bool { return hasColumn(t, name) })
}

// lackTable reports whether the statement names the table that the engine did not find, and not
// as one of its own.
func (n *tableNames) lackTable(message string) bool {
	name := strings.ToLower(message[strings.LastIndexByte(message, ' ')+1:])
	return n.all && slices.Contains(n.unknown, name) && !slices.Contains(n.others, name)
}

// share reports whether several tables of the statement have the column that the engine finds
// ambiguous, and it is no alias and no column of a join.
func (n *tableNames) share(message string) bool {
	found := quoted.FindStringSubmatch(message)
	if found == nil || !n.all || n.usings || slices.Contains(n.others, strings.ToLower(found[1])) {
		return false
	}
	tables := 0
	for _, t := range n.tables {
		if hasColumn(t, found[1]) {
			tables++
		}
	}
	return tables > 1
}

// miscounts reports whether an INSERT has a row of too few or too many values, or an INSERT or
// UPDATE sets a column twice.
func miscounts(parsed sqlparser.Statement, names *tableNames) bool {
	i, ok := parsed.(*sqlparser.Insert)
	if !ok {
		return false
	}
	seen := map[string]bool{}
	for _, c := range i.Columns {
		if seen[c.Lowered()] {
			return true
		}
		seen[c.Lowered()] = true
	}
	want := len(i.Columns)
	if want == 0 && len(names.tables) > 0 {
		want = len(names.tables[0].Schema(nil))
	}
	rows, ok := i.Rows.(sqlparser.Values)
	if a, is := i.Rows.(*sqlparser.AliasedValues); is {
		rows, ok = a.Values, true
	}
	return ok && slices.ContainsFunc(rows, func(r sqlparser.ValTuple) bool { return len(r) != want })
}
