package states

import (
	"encoding/binary"
	"fmt"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/innodb"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/isolation/postgres"
	serving "github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/behaviour"
)

// Programs whose statements the executor of a server evaluates: the database is the
// server's storage.

// storage is the database of a program whose statements a server's executor evaluates.
func (d *database) storage() (model.Database, error) {
	storage := d.prog.Storage()
	of := map[serving.Engine]isolation.Database{serving.Heap: isolation.PostgreSQL, serving.Trees: isolation.InnoDB}[storage.Engine]
	if d.level.Database() != of {
		return nil, &behaviour.Error{Kind: behaviour.Misuse, Program: d.prog.Name,
			Message: fmt.Sprintf("the program's database is %s, and %v is a level of %s: explore it at one of its own levels, %s, or at an axiomatic level such as si",
				of.Title(), d.level, d.level.Database().Title(), list(isolation.LevelsOf(of)))}
	}
	if of == isolation.InnoDB {
		return innodb.NewStorage(d.prog.Sessions(), storage, innodb.Options{Races: d.races, Points: true, MySQL: storage.Product.IsMySQL()})
	}
	r := postgres.NewRows(d.prog.Sessions(), nil, d.races)
	r.LoadTables(storage)
	r.Learn(d.looks)
	return r, nil
}

// appendLeft appends what the tables of an executor are left with to a key.
func appendLeft(key []byte, d model.Database) []byte {
	s, ok := d.(model.Storage)
	if !ok {
		return key
	}
	sums, _ := d.(model.Summed)
	for t := range s.Tables() {
		if sums != nil {
			sum := sums.LeftKey(t)
			key = binary.LittleEndian.AppendUint64(key, sum[0])
			key = binary.LittleEndian.AppendUint64(key, sum[1])
			continue
		}
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
