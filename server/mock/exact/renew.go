package exact

import (
	"github.com/txmc/txmc/isolation/postgres"
	"github.com/txmc/txmc/program/access"
)

// Renew begins anew with another database, whose rows are those that are committed. No
// transaction is open. Advisory locks stay. For who records, a transaction of the session "schema" writes the rows.
func (s *Store) Renew(db *access.Database, c Catalog) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := postgres.NewRows(MaxOpen, nil, true)
	rows.LoadTables(db)
	rows.Advised(s.rows)
	s.rows, s.catalog = rows, c
	if s.records.take != nil {
		s.renewed()
	}
}

// renewed records that all rows have been written. One without a primary key has another key from now on.
func (s *Store) renewed() {
	rs := &s.records
	rs.of, rs.renewed = map[int32]row{}, map[string]row{}
	s.begun++
	t := &Transaction{Session: "schema", Number: s.begun, Committed: true}
	s.rows.EachSettled(func(r access.Initial) {
		key, keyed := s.catalog.Name(r.Row.Value)
		if !keyed {
			return
		}
		rs.written++
		rs.renewed[key] = row{key, rs.written, t.Number}
		t.Events = append(t.Events, Event{Write: true, Key: key, Version: rs.written, Value: s.catalog.Describe(r.Row.Value)})
	})
	rs.take(t)
}
