package proxy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Roles belong to a server, not to a database: those that a program's schema makes outlive
// the database, and the next schema could not make them again. What has come between Clear
// and Capture is the schema's. Where the schema fails, Capture is not called: then the next
// Clear looks itself.

// roles are those of the server.
type roles struct {
	before  []string // the schema
	made    []string // by it
	pending bool     // the schema has not run, or has failed
}

// all are the roles of the server that are not its own.
func (s *Postgres) allRoles(ctx context.Context) (list []string, err error) {
	rows, err := s.query(ctx, "SELECT rolname FROM pg_roles WHERE oid >= 16384 ORDER BY oid")
	for _, row := range rows {
		list = append(list, row[0])
	}
	return list, err
}

// madeRoles notes which roles the schema has made.
func (s *Postgres) madeRoles(ctx context.Context) error {
	now, err := s.allRoles(ctx)
	if err != nil || !s.roles.pending {
		return err
	}
	s.roles.pending = false
	s.roles.made = slices.DeleteFunc(now, func(r string) bool { return slices.Contains(s.roles.before, r) })
	return nil
}

// dropRoles removes the roles that the last schema has made.
func (s *Postgres) dropRoles(ctx context.Context) (err error) {
	if err := s.madeRoles(ctx); err != nil {
		return err
	}
	var names []string
	for _, r := range s.roles.made {
		names = append(names, pgx.Identifier{r}.Sanitize())
	}
	if list := strings.Join(names, ", "); list != "" {
		if err := s.run(ctx, "DROP OWNED BY "+list+" CASCADE; DROP ROLE "+list); err != nil {
			return fmt.Errorf("cannot drop the roles that the schema has made: %w", err)
		}
	}
	s.roles = roles{pending: true}
	s.roles.before, err = s.allRoles(ctx)
	return err
}
