package scratch_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

// segments are the numbers of the segments of shared memory that there are.
func segments(t *testing.T) (list []string) {
	t.Helper()
	text, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 {
			list = append(list, f[1])
		}
	}
	return list
}

// segment is that of a server.
func segment(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	f := strings.Fields(strings.Split(string(text), "\n")[6])
	if !slices.Contains(segments(t), f[1]) {
		t.Fatalf("there is no segment %s", f[1])
	}
	return f[1]
}

// A server that is closed leaves no shared memory, of which a machine has only so many
// segments.
func TestSharedMemory(t *testing.T) {
	t.Parallel()
	s := scratchtest.Start(t, scratch.Postgres, nil)
	dir := filepath.Dir(s.Socket())
	id := segment(t, dir)
	text, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, _, _ := strings.Cut(string(text), "\n")
	if maps, err := os.ReadFile("/proc/" + pid + "/maps"); err != nil || strings.Contains(string(maps), "/PostgreSQL.") {
		t.Errorf("memory is shared by a file outside of the server's directory, or %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(segments(t), id) {
		t.Errorf("segment %s is left", id)
	}
}

// segmentLeft notes the segment of a server; the result reports whether it is still there.
func segmentLeft(t *testing.T, dir string) func() bool {
	id := segment(t, dir)
	return func() bool { return slices.Contains(segments(t), id) }
}
