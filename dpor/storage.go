package dpor

import (
	"encoding/binary"
	"fmt"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/isolation/postgres"
	"github.com/txmc/txmc/program"
)

// Programs whose statements the executor of a server evaluates: the database is the
// server's storage.

// storage is the database of a program whose statements a server's executor evaluates.
func (d *database) storage() (model.Database, error) {
	if d.level.Database() != isolation.PostgreSQL {
		return nil, &program.Error{Kind: program.Misuse, Program: d.prog.Name,
			Message: fmt.Sprintf("the program's database is PostgreSQL, and %v is a level of %s: explore it at pg-rc, pg-rr or pg-ser, or at an axiomatic level such as si", d.level, d.level.Database().Title())}
	}
	r := postgres.NewRows(d.prog.Sessions(), nil, true)
	r.LoadTables(d.prog.Storage())
	return r, nil
}

// appendLeft appends what the tables of an executor are left with to a key.
func appendLeft(key []byte, d model.Database) []byte {
	s, ok := d.(model.Storage)
	if !ok {
		return key
	}
	for t := range s.Tables() {
		left := s.Left(t)
		key = binary.AppendUvarint(key, uint64(len(left)))
		for _, v := range left {
			key = binary.AppendUvarint(key, uint64(v))
		}
	}
	return key
}

// rowsLeft are the contents that an executor's tables are left with.
func rowsLeft(d model.Database) (rows []int32) {
	if s, ok := d.(model.Storage); ok {
		for t := range s.Tables() {
			rows = append(rows, s.Left(t)...)
		}
	}
	return rows
}
