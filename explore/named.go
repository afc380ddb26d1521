package explore

import (
	"errors"
	"slices"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// A program in SQL has a database, whose words name its levels: "serializable" is that of the
// database there, and the axiom elsewhere. "repeatable read" is no axiom: whoever has no
// database is asked which one is meant.

// UsualInSQL are InSQL's levels where nobody has asked for any: those that transactions
// have which ask for none.
func UsualInSQL() []isolation.Level {
	return []isolation.Level{isolation.PostgreSQL.Default(), isolation.InnoDB.Default()}
}

// Named sets the levels that a comma-separated list names, without a word on a database. Where
// all names are words of databases, and nothing says how axiomatic levels are searched,
// programs in SQL have the levels of their own database.
func (o *Options) Named(list string) (err error) {
	o.Levels, err = isolation.ParseListAt(isolation.NoDatabase, list)
	var ambiguous *isolation.AmbiguousLevelError
	if err != nil && !errors.As(err, &ambiguous) || !o.SearchLeftOpen() {
		return err
	}
	o.InSQL = nil
	for _, db := range []isolation.Database{isolation.PostgreSQL, isolation.InnoDB} {
		o.InSQL = append(o.InSQL, isolation.ParseWords(db, list)...)
	}
	if len(o.InSQL) > 0 {
		return nil
	}
	return err
}

// LevelsOf are the levels at which a program is explored. The error is an
// [*isolation.AmbiguousLevelError] where the program has no database that would tell them.
func (o *Options) LevelsOf(client *program.Client) ([]isolation.Level, error) {
	db := isolation.DatabaseNamed(client.Model())
	switch {
	case db != isolation.NoDatabase && len(o.InSQL) > 0:
		return o.InSQLOf(db), nil
	case len(o.Levels) == 0:
		return nil, &isolation.AmbiguousLevelError{Name: "repeatable read"}
	}
	return o.Levels, nil
}

// InSQLOf are the levels of InSQL that a database has.
func (o *Options) InSQLOf(db isolation.Database) []isolation.Level {
	return slices.DeleteFunc(slices.Clone(o.InSQL), func(l isolation.Level) bool { return l.Database() != db })
}
