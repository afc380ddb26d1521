package scratch

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/jackc/pgx/v5/pgconn"
)

// postgres is PostgreSQL's programs.
type postgres struct{ initdb, server string }

func findPostgres() (backend, error) {
	var p postgres
	var err error
	missing := func(program string) *MissingError { return &MissingError{Postgres, program, "postgresql"} }
	if p.initdb, err = look(missing("initdb"), "/usr/lib/postgresql/*/bin/initdb", "initdb"); err != nil {
		return nil, err
	}
	p.server, err = look(missing("postgres"), filepath.Join(filepath.Dir(p.initdb), "postgres"))
	return p, err
}

func (p postgres) programs() []string { return []string{p.initdb, p.server} }

func (p postgres) create(ctx context.Context, s *Server) *exec.Cmd {
	return exec.CommandContext(ctx, p.initdb, "-D", s.data(), "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8", "--locale=C")
}

func (p postgres) serve(s *Server) *exec.Cmd {
	args := []string{"-D", s.data(), "-k", s.dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "full_page_writes=off",
		"-c", "autovacuum=off", "-c", "deadlock_timeout=20ms", "-c", "max_connections=200", "-c", "max_pred_locks_per_transaction=256", "-c", "wal_level=logical", "-c", "max_wal_size=4GB",
		"-c", "dynamic_shared_memory_type=mmap"} // files of its directory, which go with it
	for _, set := range s.settings {
		args = append(args, "-c", set)
	}
	return exec.Command(p.server, args...)
}

func (p postgres) ready(ctx context.Context, s *Server) error {
	c, err := pgconn.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return err
	}
	return c.Close(ctx)
}

// DSN is the address of a database of the server, for the drivers pgx and
// go-sql-driver/mysql. PostgreSQL has the database postgres at first, MariaDB mysql.
func (s *Server) DSN(database string) string {
	if s.Kind == MariaDB {
		return fmt.Sprintf("root@unix(%s)/%s?interpolateParams=true", s.Socket(), database)
	}
	return fmt.Sprintf("host=%s user=postgres dbname=%s", s.dir, database)
}
