// Package statements says what SQL statements of MySQL read and write: tables, columns,
// and the conditions by which rows are chosen.
//
// The statements are parsed by the parser of go-mysql-server, and names resolved against
// the schema that the engine has made. Statements do not run. What is over-approximated:
// conditions other than equalities of a conjunction hold in every row, and a LIMIT leaves
// out none.
package statements

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/explore/find/parsed"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/mysql/engine"
)

// Schema is the tables of a schema.
type Schema struct {
	Tables []parsed.Table

	text    string
	byName  map[string]int // in lower case
	columns []sql.Schema   // by table
}

// New makes a schema.
func New(text string) (*Schema, error) {
	s, err := newSchema(func() string { return text }, mysql.Schema(text))
	return s, plain(err)
}

// newSchema is the schema that an option makes; text is that of the schema in the end.
func newSchema(text func() string, made mysql.Option) (*Schema, error) {
	image, err := mysql.NewImage(made)
	if err != nil {
		return nil, err
	}
	s := &Schema{text: text(), byName: map[string]int{}}
	tables, triggers := image.Describe()
	for i, t := range tables {
		s.byName[strings.ToLower(t.Name)] = i
		s.columns = append(s.columns, t.Columns)
	}
	for _, t := range tables {
		s.Tables = append(s.Tables, s.table(t))
	}
	for _, create := range triggers {
		if err := s.trigger(create); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// trigger notes a trigger at its table.
func (s *Schema) trigger(create string) error {
	tree, err := sqlparser.Parse(create)
	if err != nil {
		return fmt.Errorf("a trigger of the schema cannot be read: %w", err)
	}
	if d, ok := tree.(*sqlparser.DDL); ok && d.TriggerSpec != nil {
		if t, ok := s.byName[strings.ToLower(d.Table.Name.String())]; ok {
			s.Tables[t].Triggers = append(s.Tables[t].Triggers, d.TriggerSpec.TrigName.Name.String())
		}
	}
	return nil
}

// Try reports whether SQL that makes rows runs on the schema.
func (s *Schema) Try(rows string) error {
	_, err := mysql.NewImage(mysql.Schema(s.text), mysql.Seed(rows))
	return plain(err)
}

// plain is the database's own error: the text is in no file whose line could be named.
func plain(err error) error {
	var e *mysql.ScriptError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

var errNoRows = errors.New("it is no statement that reads or writes rows")

// Analyse says what a statement does. The error is the parser's, or says what is not
// understood.
func (s *Schema) Analyse(text string) (accesses []parsed.Access, results []*parsed.Source, err error) {
	tree, err := sqlparser.Parse(engine.Clean(text))
	if err != nil {
		return nil, nil, err
	}
	r := &reader{Schema: s}
	switch n := tree.(type) {
	case sqlparser.SelectStatement:
		results = r.query(n, nil)
	case *sqlparser.Insert:
		r.insert(n)
	case *sqlparser.Update:
		r.update(n)
	case *sqlparser.Delete:
		r.delete(n)
	default:
		return nil, nil, errNoRows
	}
	if r.err != nil {
		return nil, nil, r.err
	}
	return r.accesses, results, nil
}

// reader reads one statement.
type reader struct {
	*Schema
	accesses []parsed.Access
	err      error // the first
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *reader) add(a parsed.Access) {
	slices.Sort(a.Columns)
	r.accesses = append(r.accesses, a)
}
