package storage

import (
	"sync"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/txmc/txmc/mysql/model"
	"github.com/txmc/txmc/program/rows"
)

// Def is a table: its definition, and what is known of its rows.
type Def struct {
	name      string
	db        *Database
	schema    sql.PrimaryKeySchema
	collation sql.CollationID
	comment   string
	indexes   []*Index // unique ones first; without the primary key
	values
	auto uint64 // the next number of AUTO_INCREMENT before any session

	rows *rows.Known[sql.Row]

	model *model.Table // under a model of the database

	mu        sync.Mutex
	spellings map[string]map[string]string // by index, by what is equal for equal values
}

// values are what its rows may have.
type values struct {
	checks   []sql.CheckDefinition
	unsigned []string // columns, in lower case: see unsigned.go
}

func newDef(d *Database, name string, schema sql.PrimaryKeySchema, collation sql.CollationID, comment string) *Def {
	def := &Def{db: d, schema: schema, collation: collation, comment: comment, auto: 1}
	def.rename(name)
	def.forget()
	return def
}

// rename gives the table another name.
func (d *Def) rename(name string) {
	d.name = name
	for _, c := range d.schema.Schema {
		c.Source, c.DatabaseSource = name, d.db.name
	}
}

// forget makes nothing known of the rows.
func (d *Def) forget() {
	d.rows, d.spellings = rows.NewKnown[sql.Row](), map[string]map[string]string{}
}

// keyless reports whether the table has no primary key.
func (d *Def) keyless() bool { return len(d.schema.PkOrdinals) == 0 }

// primary is the primary key as an index; nil when there is none.
func (d *Def) primary() *Index {
	if d.keyless() {
		return nil
	}
	return &Index{def: d, name: primaryName, columns: d.schema.PkOrdinals, unique: true}
}

const primaryName = "PRIMARY"

// Forget drops what is known of rows whose content's variable is not in use, and contents
// that are not, by [rows.Content.Key]: see [rows.Known.Forget].
func (d *Database) Forget(variable, content func(string) bool) {
	for _, def := range d.tables {
		def.rows.Forget(func(id string) bool { return variable(def.contentVar(id)) }, content)
	}
}

// Known is how many rows are known of all tables.
func (d *Database) Known() (n int) {
	for _, def := range d.tables {
		n += len(def.rows.All())
	}
	return n
}
