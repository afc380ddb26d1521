//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package scratch_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

func ask(t *testing.T, s *scratch.Server, sql string) string {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), s.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	res, err := c.Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	last := res[len(res)-1]
	if len(last.Rows) == 0 {
		return ""
	}
	return string(last.Rows[0][0])
}

// apart runs a test that changes its environment in a process of its own, so that others run
// beside it. It reports whether this is that process.
func apart(t *testing.T) bool {
	t.Helper()
	const variable = "TXMC_TEST_APART"
	if os.Getenv(variable) == t.Name() {
		return true
	}
	t.Parallel()
	args := []string{"-test.run=^" + t.Name() + "$", "-test.v"}
	if end, ok := t.Deadline(); ok {
		args = append(args, "-test.timeout="+time.Until(end).String())
	}
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), variable+"="+t.Name())
	out, err := c.CombinedOutput()
	switch {
	case strings.Contains(string(out), "--- SKIP: "+t.Name()):
		t.Skip(string(out))
	case err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()):
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// What was committed outlives a kill of the server, and is lost with the disk.
func TestKillAndRestore(t *testing.T) {
	t.Parallel()
	s := scratchtest.Start(t, scratch.Postgres, map[string]string{"work_mem": "1234kB"})
	if got := ask(t, s, "SHOW work_mem"); got != "1234kB" {
		t.Errorf("the setting is %s", got)
	}
	ask(t, s, "CREATE TABLE t (v int); INSERT INTO t VALUES (1)")
	if err := s.Copy(t.Context(), "before"); err != nil {
		t.Fatal(err)
	}
	ask(t, s, "UPDATE t SET v = 2")
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, s, "SELECT v FROM t"); got != "2" {
		t.Errorf("after a kill it reads %s", got)
	}
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Restore("before"), s.Restart(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, s, "SELECT v FROM t"); got != "1" {
		t.Errorf("from the copy it reads %s", got)
	}
}

// Close leaves nothing.
func TestClose(t *testing.T) {
	t.Parallel()
	for _, kind := range []scratch.Kind{scratch.Postgres, scratch.MariaDB} {
		t.Run(string(kind), func(t *testing.T) {
			s := scratchtest.Start(t, kind, nil)
			dir := filepath.Dir(s.Socket())
			if _, err := os.Stat(dir); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if left, _ := filepath.Glob(dir + "*"); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// A setting that the server does not know is an error with its log.
func TestWrongSetting(t *testing.T) {
	t.Parallel()
	scratchtest.Need(t, scratch.Postgres)
	_, err := scratch.Start(t.Context(), scratch.Postgres, map[string]string{"no_such_setting": "1"})
	if err == nil || !strings.Contains(err.Error(), "no_such_setting") {
		t.Errorf("%v", err)
	}
}

// What a process left that was killed goes when the next server starts: no test that starts one runs
// beside this one.
func TestLeftovers(t *testing.T) {
	if os.Getenv("TXMC_LEAVE") != "" {
		s, err := scratch.Start(context.Background(), scratch.Postgres, nil)
		fmt.Println("started", err)
		if err == nil {
			fmt.Println(filepath.Dir(s.Socket()))
		}
		select {} // until it is killed
	}
	scratchtest.Need(t, scratch.Postgres)
	c := exec.Command(os.Args[0], "-test.run=^TestLeftovers$")
	c.Env = append(os.Environ(), "TXMC_LEAVE=1")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var dir string
	for lines.Scan() {
		if text := lines.Text(); strings.HasPrefix(text, "started") && text != "started <nil>" {
			t.Fatal(text)
		} else if filepath.IsAbs(text) {
			dir = text
			break
		}
	}
	c.Process.Kill()
	c.Wait()
	if _, err := os.Stat(filepath.Join(dir, "data", "postmaster.pid")); dir == "" || err != nil {
		t.Fatalf("nothing was left in %q: %v", dir, err)
	}
	ofMemory := segmentLeft(t, dir)
	scratchtest.Start(t, scratch.Postgres, nil)
	// Another process that starts a server may be the one that clears away.
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		left, _ := filepath.Glob(dir + "*")
		out, err := exec.Command("ps", "-axo", "command=").Output()
		runs, segment := err == nil && strings.Contains(string(out), dir), ofMemory()
		if len(left) == 0 && !runs && !segment {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("left: %q; the server still runs: %v; its segment of shared memory is there: %v", left, runs, segment)
		}
	}
}

// A directory for temporary files that is not the server's user's to write is not needed: MariaDB has
// its own.
func TestTemporaryFiles(t *testing.T) {
	if !apart(t) {
		return
	}
	scratchtest.Need(t, scratch.MariaDB)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	scratchtest.Start(t, scratch.MariaDB, nil)
}
