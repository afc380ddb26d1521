//go:build unix

package leash_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/txmc/txmc/isolation/statement/realtest/leash"
)

// TestMain lets the test's binary be the process that leaves a server behind.
func TestMain(m *testing.M) {
	if dir := os.Getenv("LEAVE_BEHIND"); dir != "" {
		server := exec.Command("sleep", "600")
		if err := server.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		l, err := leash.New(server.Process, syscall.SIGKILL, dir)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(server.Process.Pid)
		go server.Wait() // or it would stay as a zombie
		if os.Getenv("RELEASE") != "" {
			l.Release()
			return
		}
		panic("a test panics")
	}
	os.Exit(m.Run())
}

// leave runs a process that starts a server and ends without ending it. It returns the
// server's number.
func leave(t *testing.T, dir string, env ...string) (pid int) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(append(os.Environ(), "LEAVE_BEHIND="+dir), env...)
	out, _ := c.Output()
	if _, err := fmt.Sscan(strings.TrimSpace(string(out)), &pid); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return pid
}

// A process that panics leaves neither its server nor the directory behind.
func TestLeash(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	pid := leave(t, dir)
	for {
		_, err := os.Stat(dir)
		if errors.Is(err, os.ErrNotExist) {
			break
		}
		if t.Context().Err() != nil {
			t.Fatal("the directory is still there")
		}
		time.Sleep(10 * time.Millisecond) // the test's own timeout bounds this
	}
	if err := syscall.Kill(pid, 0); err == nil {
		t.Errorf("process %d still runs", pid)
	}
}

// One that releases the leash keeps both.
func TestRelease(t *testing.T) {
	dir := t.TempDir()
	pid := leave(t, dir, "RELEASE=1")
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("process %d: %v", pid, err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}
