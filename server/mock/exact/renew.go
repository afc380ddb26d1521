package exact

import (
	"github.com/txmc/txmc/isolation/postgres"
	"github.com/txmc/txmc/program/access"
)

// Renew begins anew with another database, whose rows are those that are committed. No
// transaction is open. Advisory locks stay.
func (s *Store) Renew(db *access.Database, c Catalog) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := postgres.NewRows(MaxOpen, nil, true)
	rows.LoadTables(db)
	rows.Advised(s.rows)
	s.rows, s.catalog = rows, c
	if s.records.take != nil {
		s.records.of = map[int32]row{}
	}
}
