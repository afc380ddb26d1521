package mysql_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Anomalies are found in code that has no program: the reports at a level at which there are
// some, and at one at which there are none.
func TestFind(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs and explores them")
	}
	command := built(t)
	golden(t, "found", "find.golden", run(t, command, "find", "found", "--db=mysql"))
	for iso, want := range map[string]string{
		"innodb-rc":    "15 structures, 5 confirmed by 3 anomalies",
		"innodb-rr-si": "1 structure, 1 confirmed by 1 anomaly",
		"innodb-ser":   "0 structures, 0 confirmed by 0 anomalies",
	} {
		out := run(t, command, "find", "found", "--db=mysql", "--iso="+iso)
		if !strings.Contains(out, want) {
			t.Errorf("%s: not %q:\n%s", iso, want, out)
		}
	}
}

// What is found is confirmed on a real server.
func TestFindOnServer(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs and explores them")
	}
	if _, err := exec.LookPath("mariadbd"); err != nil {
		t.Skip("no MariaDB is installed")
	}
	out := run(t, built(t), "find", "found", "--db=mysql", "--confirm=mariadb:temp")
	if n := strings.Count(out, "confirmed on MariaDB"); n != 3 {
		t.Errorf("%d of 3 anomalies are confirmed on the server:\n%s", n, out)
	}
}

// The programs that are kept are explored as any other.
func TestFindKept(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs and explores them")
	}
	command, dir := built(t), filepath.Join("testdata", "found", "kept")
	t.Cleanup(func() { os.RemoveAll(dir) })
	run(t, command, "find", "found", "--db=mysql", "-o", dir)
	if out := run(t, command, "explore", "found/kept", "--iso=innodb-rr"); strings.Count(out, "FAIL  Explore") != 3 {
		t.Errorf("not three programs that fail:\n%s", out)
	}
}
