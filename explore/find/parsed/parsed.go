// Package parsed asks a database's own parser about a schema and statements, where the parser
// is no part of this module. A process is built from the user's module. It answers each
// question, a line of JSON, with another line.
package parsed

// Question asks for one of these.
type Question struct {
	Schema    []Script `json:"schema,omitempty"`    // that make the tables; the first question
	Statement string   `json:"statement,omitempty"` // what does it do?
	Rows      string   `json:"rows,omitempty"`      // SQL that makes rows: does it run?
}

// Script is a file of SQL.
type Script struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Answer answers a question. Tables and columns are given by their places.
type Answer struct {
	Error    string    `json:"error,omitempty"`
	Settled  []Script  `json:"settled,omitempty"`  // the schema without statements that failed and were left out
	Left     []string  `json:"left,omitempty"`     // why these were
	Tables   []Table   `json:"tables,omitempty"`   // of the schema
	Accesses []Access  `json:"accesses,omitempty"` // of the statement
	Results  []*Source `json:"results,omitempty"`  // of the columns of its rows; nil for what is computed
}

// Table is a table of the schema.
type Table struct {
	Name     string      `json:"name"`
	Columns  []Column    `json:"columns"`
	Unique   [][]int     `json:"unique,omitempty"` // columns of unique indexes, the primary key first
	Foreign  []Reference `json:"foreign,omitempty"`
	Triggers []string    `json:"triggers,omitempty"`
}

// Column is a column of a table. Types have the names that PostgreSQL has for them.
type Column struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	NotNull bool     `json:"not_null,omitempty"`
	Default bool     `json:"default,omitempty"`
	Counts  bool     `json:"counts,omitempty"` // the database numbers the rows
	Sums    bool     `json:"sums,omitempty"`   // sums of its values and whole numbers are exact, and nothing looks at them
	Labels  []string `json:"labels,omitempty"` // of an enumerated type
}

// Reference is a foreign key.
type Reference struct {
	Columns []int  `json:"columns"`
	To      int    `json:"to"`
	Target  []int  `json:"target"`
	Action  string `json:"action"` // on delete: a, r, c, n or d, as PostgreSQL's pg_constraint has it
}

// Kinds of accesses.
const (
	Read   = "read"
	Insert = "insert"
	Update = "update"
	Delete = "delete"
)

// Locks of rows that are read.
const (
	Share     = "share"
	Exclusive = "exclusive"
)

// Access is what a statement does with the rows of a table.
type Access struct {
	Table   int             `json:"table"`
	Kind    string          `json:"kind"`
	Columns []int           `json:"columns,omitempty"` // that are read or changed
	Bound   map[int]Operand `json:"bound,omitempty"`   // equal to something in every row that is met
	Sets    map[int]Operand `json:"sets,omitempty"`    // new values
	Lock    string          `json:"lock,omitempty"`
	Adds    []Addition      `json:"adds,omitempty"` // of an UPDATE, and of its read
}

// Addition is a column to which an UPDATE adds a value that does not depend on a row. The UPDATE does not read
// the column otherwise. Parameters have to be whole numbers.
type Addition struct {
	Column int   `json:"column"`
	Params []int `json:"params,omitempty"` // counted from 1
}

// Operand is a parameter, counted from 1, or a constant as SQL text; neither when it is not
// known.
type Operand struct {
	Param int    `json:"param,omitempty"`
	Const string `json:"const,omitempty"`
}

// Known reports whether it is a parameter or a constant.
func (o Operand) Known() bool { return o.Param > 0 || o.Const != "" }

// Source is a column of a table.
type Source struct {
	Table  int `json:"table"`
	Column int `json:"column"`
}
