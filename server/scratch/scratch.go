// Package scratch starts throw-away database servers from the programs that are
// installed on this machine. A server has a directory of its own below the one for
// temporary files, listens on a Unix socket in it only, and is gone with its
// directory after Close. What a process left that could not close its servers, after
// kill -9 say, goes when any process starts the next one.
package scratch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// Kind is a kind of database server.
type Kind string

const (
	// Postgres is PostgreSQL.
	Postgres Kind = "PostgreSQL"
	// MariaDB is MariaDB.
	MariaDB Kind = "MariaDB"
)

// MissingError is met when a program of a server is not installed.
type MissingError struct {
	Kind    Kind
	Program string
	Package string // of Debian
}

// Error names the program and how to install it.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not installed: there is no %s; on Debian and Ubuntu, apt-get install %s has it", e.Kind, e.Program, e.Package)
}

// Server is a throw-away server. Its methods are not for several goroutines at a time.
type Server struct {
	Kind Kind

	dir      string
	lock     *os.File // held as long as the server belongs to this process
	owner    owner
	settings []string
	backend  backend
	cmd      *exec.Cmd
	exited   chan struct{}
}

// backend is what the kinds do differently.
type backend interface {
	// programs are the files that decide what the data are at first.
	programs() []string
	// create makes the directory of the data.
	create(ctx context.Context, s *Server) *exec.Cmd
	// serve is the server itself.
	serve(s *Server) *exec.Cmd
	// ready returns nil when the server takes connections.
	ready(ctx context.Context, s *Server) error
}

// Start creates and starts a server. Settings are added to its own, such as fsync=on
// for PostgreSQL or innodb-snapshot-isolation=ON for MariaDB. Its own are fast: what
// was committed outlives a kill of the server, and not a crash of the machine.
// The error is a [*MissingError] where the programs are not installed.
func Start(ctx context.Context, kind Kind, settings map[string]string) (s *Server, err error) {
	backend, err := find(kind)
	if err != nil {
		return nil, err
	}
	sweep()
	s = &Server{Kind: kind, backend: backend}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		s.settings = append(s.settings, name+"="+settings[name])
	}
	if err := s.makeDirectory(); err != nil {
		return nil, fmt.Errorf("a directory for %s: %w", kind, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
			s = nil
		}
	}()
	if err := s.create(ctx); err != nil {
		return s, err
	}
	return s, s.Restart(ctx)
}

// Installed returns nil where servers of a kind can be started, else a [*MissingError].
func Installed(kind Kind) error {
	_, err := find(kind)
	return err
}

// find looks for the programs.
func find(kind Kind) (backend, error) {
	switch kind {
	case Postgres:
		return findPostgres()
	case MariaDB:
		return findMariaDB()
	}
	return nil, fmt.Errorf("there are no throw-away servers of %q", kind)
}

// look finds a program.
func look(missing *MissingError, paths ...string) (string, error) {
	for _, p := range paths {
		found, _ := filepath.Glob(p)
		if len(found) > 0 {
			return found[len(found)-1], nil
		}
		if p, err := exec.LookPath(p); err == nil {
			return p, nil
		}
	}
	return "", missing
}

// as lets a command run in the server's directory, as the directory's owner. It has a
// process group of its own, which an interrupt on the terminal does not reach.
func (s *Server) as(c *exec.Cmd) {
	c.Dir = s.dir
	c.SysProcAttr = s.owner.attributes()
}

func (s *Server) data() string    { return filepath.Join(s.dir, "data") }
func (s *Server) logFile() string { return filepath.Join(s.dir, "log") }

// startTime is how long a server may take until it answers, also on a machine that
// has much else to do.
const startTime = 2 * time.Minute

// Restart starts the server after Kill, and waits until it takes connections.
func (s *Server) Restart(ctx context.Context) error {
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd = s.backend.serve(s)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	s.as(s.cmd)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	s.exited = exited
	go func(c *exec.Cmd) {
		c.Wait()
		close(exited)
	}(s.cmd)
	return s.await(ctx)
}

func (s *Server) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		err := s.backend.ready(ctx, s)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s does not answer: %w\n%s", s.Kind, err, s.Log())
		case <-s.exited:
			return fmt.Errorf("%s has ended:\n%s", s.Kind, s.Log())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Log is the end of what the server has logged.
func (s *Server) Log() string {
	const most = 4000
	log, _ := os.ReadFile(s.logFile())
	return string(log[max(0, len(log)-most):])
}

// Kill ends the server with all its processes, as kill -9 does.
func (s *Server) Kill() error {
	if s.cmd == nil || s.cmd.Process == nil {
		return nil
	}
	killTree(s.cmd.Process.Pid)
	<-s.exited
	return nil
}

// Pause stops the server with all its processes; they go on after Resume.
func (s *Server) Pause() error { return stopTree(s.cmd.Process.Pid) }

// Resume lets the server go on after Pause.
func (s *Server) Resume() error { return continueTree(s.cmd.Process.Pid) }

// Close ends the server and removes its directory.
func (s *Server) Close() error {
	err := s.Kill()
	if s.dir != "" {
		giveBack(s.data())
	}
	err = errors.Join(err, removeAll(s.dir))
	if s.lock != nil {
		err = errors.Join(err, os.Remove(s.lock.Name()), s.lock.Close())
		s.lock = nil
	}
	return err
}

// removeAll removes a directory in which a process that is ending may still write.
func removeAll(dir string) (err error) {
	if dir == "" {
		return nil
	}
	for range 50 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// Copy copies the data as they are now: Restore brings them back. The server ends for
// it, as by Kill, and starts again. A copy lies in the server's directory.
func (s *Server) Copy(ctx context.Context, name string) error {
	if err := s.Kill(); err != nil {
		return err
	}
	if _, err := copyTree(s.data(), filepath.Join(s.dir, name), s.owner); err != nil {
		return err
	}
	return s.Restart(ctx)
}

// Restore makes the server go back to a copy: what was written since is lost, as after a
// crash of a machine whose disk did not write in time. The server must have been killed.
func (s *Server) Restore(name string) error {
	if err := os.RemoveAll(s.data()); err != nil {
		return err
	}
	return os.Rename(filepath.Join(s.dir, name), s.data())
}
