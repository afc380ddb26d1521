package scratch

import (
	"context"
	"net"
	"os/exec"
	"path/filepath"
)

// mariadb is MariaDB's programs.
type mariadb struct{ install, server string }

func findMariaDB() (backend, error) {
	var m mariadb
	var err error
	missing := func(program string) *MissingError { return &MissingError{MariaDB, program, "mariadb-server"} }
	if m.install, err = look(missing("mariadb-install-db"), "mariadb-install-db"); err != nil {
		return nil, err
	}
	m.server, err = look(missing("mariadbd"), "mariadbd", "/usr/sbin/mariadbd")
	return m, err
}

func (m mariadb) programs() []string { return []string{m.install, m.server} }

func (m mariadb) create(ctx context.Context, s *Server) *exec.Cmd {
	return exec.CommandContext(ctx, m.install, "--no-defaults", "--datadir="+s.data(), "--tmpdir="+s.dir, "--skip-test-db", "--auth-root-authentication-method=normal")
}

func (m mariadb) serve(s *Server) *exec.Cmd {
	args := []string{"--no-defaults", "--datadir=" + s.data(), "--tmpdir=" + s.dir, "--socket=" + s.Socket(), "--skip-networking",
		"--pid-file=" + filepath.Join(s.dir, "pid"), "--skip-grant-tables", "--skip-log-bin", "--max-connections=200",
		"--innodb-flush-log-at-trx-commit=2", "--innodb-flush-method=nosync", "--innodb-buffer-pool-size=64M"}
	for _, set := range s.settings {
		args = append(args, "--"+set)
	}
	return exec.Command(m.server, args...)
}

func (m mariadb) ready(ctx context.Context, s *Server) error {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", s.Socket())
	if err != nil {
		return err
	}
	return c.Close()
}

// Socket is the Unix socket of MariaDB.
func (s *Server) Socket() string { return filepath.Join(s.dir, "socket") }
