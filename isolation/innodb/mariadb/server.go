// Package mariadb runs programs of package statement on a MariaDB server that
// it starts in a temporary directory, once per interleaving. Tests import it.
package mariadb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/txmc/txmc/isolation/statement/realtest/leash"
)

// ErrNotInstalled says that this machine has no MariaDB server.
var ErrNotInstalled = errors.New("mariadbd and mariadb-install-db are not installed")

// Server is a running server.
type Server struct {
	dir, socket string
	cmd         *exec.Cmd
	exited      chan struct{}
	held        *leash.Leash
}

// Start creates a database directory and starts a server on it, which listens
// on a Unix socket only. The server's user is not root.
func Start(ctx context.Context) (*Server, error) {
	install, err1 := exec.LookPath("mariadb-install-db")
	daemon, err2 := find("mariadbd", "/usr/sbin/mariadbd")
	if err1 != nil || err2 != nil {
		return nil, ErrNotInstalled
	}
	dir, err := os.MkdirTemp("", "mariadb")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, socket: filepath.Join(dir, "socket"), exited: make(chan struct{})}
	if err := s.start(ctx, install, daemon); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func find(names ...string) (string, error) {
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

func (s *Server) start(ctx context.Context, install, daemon string) error {
	attr, err := unprivileged(s.dir)
	if err != nil {
		return err
	}
	data := filepath.Join(s.dir, "data")
	c := exec.CommandContext(ctx, install, "--no-defaults", "--datadir="+data, "--skip-test-db", "--auth-root-authentication-method=normal")
	c.SysProcAttr, c.Dir = attr, s.dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("mariadb-install-db: %w\n%s", err, out)
	}
	s.cmd = exec.Command(daemon, "--no-defaults", "--datadir="+data, "--socket="+s.socket, "--skip-networking",
		"--pid-file="+filepath.Join(s.dir, "pid"), "--log-error="+filepath.Join(s.dir, "log"), "--skip-grant-tables",
		"--skip-log-bin", "--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0", "--innodb-flush-method=nosync",
		"--innodb-buffer-pool-size=32M", "--innodb-lock-wait-timeout=10000")
	s.cmd.SysProcAttr, s.cmd.Dir = attr, s.dir
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.held, err = leash.New(s.cmd.Process, syscall.SIGKILL, s.dir)
	go func() {
		s.cmd.Wait()
		close(s.exited)
	}()
	if err != nil {
		return err
	}
	return s.listen(ctx)
}

// listen waits until the server takes connections.
func (s *Server) listen(ctx context.Context) error {
	for {
		if c, err := net.Dial("unix", s.socket); err == nil {
			return c.Close()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.exited:
			log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("mariadbd has ended:\n%s", log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Close ends the server and removes its directory.
func (s *Server) Close() error {
	if s.cmd != nil && s.cmd.Process != nil {
		s.held.Release()
		s.cmd.Process.Kill()
		<-s.exited
	}
	return os.RemoveAll(s.dir)
}
