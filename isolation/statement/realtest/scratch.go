//go:build unix

package realtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/isolation/statement/realtest/leash"
)

// StartPostgres starts a PostgreSQL server in a directory of its own, and removes
// both at the end of the test, also of one that panics. It skips the test where no server is installed or
// can run. It returns the address of an empty database.
func StartPostgres(t testing.TB) (dsn string) {
	t.Helper()
	bin := postgresBin()
	if bin == "" {
		t.Skip("no PostgreSQL server is installed here")
	}
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	attr, reason := unprivileged(dir)
	if reason != "" {
		t.Skip(reason)
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8", "--locale=C")
	initdb.SysProcAttr, initdb.Dir = attr, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Skipf("initdb does not run here: %v\n%s", err, out)
	}
	server := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-k", dir,
		"-c", "listen_addresses=", "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off",
		"-c", "autovacuum=off", "-c", "deadlock_timeout="+strconv.Itoa(int(DeadlockTimeout/time.Millisecond)))
	var log bytes.Buffer
	server.SysProcAttr, server.Dir, server.Stderr = attr, dir, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	held, err := leash.New(server.Process, syscall.SIGQUIT, dir)
	if err != nil {
		t.Error(err)
	}
	t.Cleanup(func() {
		held.Release()
		server.Process.Signal(syscall.SIGQUIT)
		server.Wait()
	})
	dsn = fmt.Sprintf("host=%s user=postgres dbname=postgres", dir)
	if err := awaitServer(dsn); err != nil {
		t.Fatalf("the server does not answer: %v\n%s", err, log.Bytes())
	}
	return dsn
}

// postgresBin is the directory of PostgreSQL's programs, "" if there is none.
func postgresBin() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1])
	}
	if p, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(p)
	}
	return ""
}

// unprivileged makes the directory usable for the user that runs the server:
// PostgreSQL refuses to run as root.
func unprivileged(dir string) (attr *syscall.SysProcAttr, reason string) {
	if os.Getuid() != 0 {
		return nil, ""
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 != nil || err2 != nil || os.Chown(dir, uid, gid) != nil {
			continue
		}
		return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, ""
	}
	return nil, "PostgreSQL does not run as root, and there is no user postgres or nobody"
}

func awaitServer(dsn string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		c, err := pgconn.Connect(ctx, dsn)
		if err == nil {
			return c.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}
