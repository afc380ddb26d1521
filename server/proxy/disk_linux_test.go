package proxy_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/server/scratch"
)

// small is where a small disk is mounted for the time of a test; root alone may do that.
func small(t *testing.T, size string) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "txmc-disk-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(dir) })
	if err := syscall.Mount("txmc", dir, "tmpfs", 0, "mode=1777,size="+size); err != nil {
		t.Skipf("no disk can be mounted, which root may do: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// A disk that is really full ends the run. The run says so and at which statement.
// Nothing of the program is left on the server.
func TestFullDisk(t *testing.T) {
	dir := small(t, "160m")
	t.Setenv(scratch.Place, dir)
	_, dsn := alone(t)
	claim(t, dsn)
	f := sessions("CREATE UNLOGGED TABLE note (id int, text text)",
		exec("SELECT count(*) FROM note", "INSERT INTO note SELECT i, repeat('x', 1000) FROM generate_series(1, 1000000) i"), exec("SELECT count(*) FROM note"))
	e := onServer{at: explore.OnServer{DSN: dsn}}.run(t, t.Context(), f, isolation.PgRC)
	problem := e.only(t)
	if problem == nil {
		t.Fatalf("no error: %v", e.list)
	}
	for _, want := range []string{"No space left on device", "53100", "make room", "INSERT INTO note"} {
		if !strings.Contains(problem.Message, want) {
			t.Errorf("the message lacks %q: %s", want, problem.Message)
		}
	}
	if problem.Session != "a" || problem.At == "" {
		t.Errorf("the message names no place: %+v", problem)
	}
}
