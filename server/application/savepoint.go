package application

import (
	"fmt"
	"regexp"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Savepoints that a library names after a thread, or numbers for as long as its connection lasts, have other names in each run.
// A transaction numbers them from one.

// savepoint matches a statement about such a savepoint.
var savepoint = regexp.MustCompile(`(?i)^(\s*(?:SAVEPOINT|RELEASE(?:\s+SAVEPOINT)?|ROLLBACK(?:\s+WORK|\s+TRANSACTION)?\s+TO(?:\s+SAVEPOINT)?)\s+)("[^"]*\d{5}[^"]*"|\w*\d{5}\w*)`)

// renames gives the savepoints of a batch the names that they have in the transaction.
func (s *socket) renames(b *batch) {
	if s.is('I') {
		clear(s.savepoints)
	}
	for i, m := range b.messages {
		switch m[0] {
		case 'Q':
			var q pgproto3.Query
			if m.decode(&q) && savepoint.MatchString(q.String) {
				q.String = s.renamed(q.String)
				b.messages[i] = encode(&q)
			}
		case 'P':
			var p pgproto3.Parse
			if m.decode(&p) && savepoint.MatchString(p.Query) {
				p.Query = s.renamed(p.Query)
				b.messages[i] = encode(&p)
			}
		}
	}
}

// renamed is a statement with the name that its savepoint has.
func (s *socket) renamed(sql string) string {
	f := savepoint.FindStringSubmatch(sql)
	if s.savepoints[f[2]] == "" {
		s.savepoints[f[2]] = fmt.Sprintf("savepoint_%d", len(s.savepoints)+1)
	}
	return f[1] + s.savepoints[f[2]] + sql[len(f[0]):]
}
