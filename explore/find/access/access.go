// Package access says what SQL statements read and write: tables, columns, and the
// conditions by which rows are chosen.
//
// PostgreSQL itself, with the schema, analyses each statement. The statement is prepared
// and not run. PostgreSQL then tells the analysed query (debug_print_rewritten), and it is
// read here: views and rules are expanded, names resolved, and types known. Foreign keys
// and their actions are added from the catalog.
package access

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/pg"
)

// Kind says what an access does.
type Kind uint8

// Kinds of accesses. An UPDATE is a Read of what it looks at and an Update.
const (
	Read Kind = iota
	Insert
	Update
	Delete
)

// Access is what a statement does with the rows of a table.
type Access struct {
	Table   *Table
	Kind    Kind
	Columns []int           // indexes of those that are read or written; all for Insert and Delete
	Bound   map[int]Operand // columns that are equal to something in every row that is met, or inserted
	Sets    map[int]Operand // of an Insert or Update: columns and their new values
	Lock    Lock            // of a Read: the rows are locked
	Exact   bool            // at most one row: Bound has all columns of a unique index
	Check   bool            // made by a foreign key, not by the statement's text
	Adds    []int           // columns to which an UPDATE adds what no row decides, and that it does not read otherwise

	addends map[int][]int // of Adds: parameters that have to be whole numbers, where the database does not see to it
}

// Lock is how rows are locked.
type Lock uint8

// The locks of rows (PostgreSQL's documentation, 13.3.2), by strength.
const (
	NoLock Lock = iota
	KeyShare
	Share
	NoKeyUpdate
	ForUpdate
)

// Operand is what a column is compared with, or set to.
type Operand struct {
	Param int    // the parameter $Param; 0 for none
	Const string // of a constant, as SQL text
	Known bool   // it is one of these
	Fresh bool   // the next number of a sequence
}

// Analyser analyses statements.
type Analyser struct {
	*Catalog
	conn  *pgconn.PgConn
	close func() error
	trees []string
}

// New makes an analyser for a schema.
func New(ctx context.Context, schema ...pg.Option) (*Analyser, error) {
	a := &Analyser{}
	var err error
	if a.conn, a.close, err = pg.Connect(ctx, a.notice, schema...); err != nil {
		return nil, err
	}
	if a.Catalog, err = newCatalog(ctx, a.conn); err != nil {
		return nil, errors.Join(err, a.close())
	}
	_, err = a.conn.Exec(ctx, "SET debug_print_rewritten = on; SET debug_pretty_print = off; SET client_min_messages = log").ReadAll()
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

// Close ends the analyser.
func (a *Analyser) Close() error { return a.close() }

func (a *Analyser) notice(n *pgconn.Notice) {
	if strings.HasPrefix(n.Message, "rewritten parse tree") {
		a.trees = append(a.trees, n.Detail)
	}
}

// Effect is what one statement does.
type Effect struct {
	Accesses []*Access
	Results  []*Source // of the columns of its rows; nil for what is computed
	Params   []uint32  // types of its parameters
}

// Source is a column of a table.
type Source struct {
	Table  *Table
	Column int
}

// Analyse says what a statement does. The error is PostgreSQL's, or says what is not
// understood.
func (a *Analyser) Analyse(ctx context.Context, sql string) (*Effect, error) {
	a.trees = nil
	described, err := a.conn.Prepare(ctx, "", sql, nil)
	if err != nil {
		return nil, err
	}
	s := &Effect{Params: described.ParamOIDs}
	if len(a.trees) == 0 {
		return nil, errNoRows
	}
	utility := false
	for _, tree := range a.trees {
		v, err := parse(tree)
		if err != nil {
			return nil, err
		}
		walk(v, func(n *node) bool {
			if n.name == "QUERY" {
				utility = utility || n.number("commandType") > cmdMerge
				q := &query{Analyser: a, node: n, effect: s}
				q.read()
			}
			return true
		})
		if queries, ok := v.(list); ok && len(queries) > 0 && len(s.Results) == 0 {
			if n, ok := queries[0].(*node); ok {
				s.Results = (&query{Analyser: a, node: n, effect: s}).results()
			}
		}
	}
	if utility {
		return nil, errNoRows
	}
	a.references(s)
	return s, nil
}

var errNoRows = errors.New("it is no statement that reads or writes rows")

// Try reports whether a script runs; nothing of it stays.
func (a *Analyser) Try(ctx context.Context, script string) error {
	_, err := a.conn.Exec(ctx, "SET client_min_messages = warning; BEGIN;"+script).ReadAll()
	_, ended := a.conn.Exec(ctx, "ROLLBACK; SET client_min_messages = log").ReadAll()
	if err == nil {
		err = ended
	}
	if err != nil {
		return fmt.Errorf("the rows do not fit the schema: %w", err)
	}
	return nil
}
