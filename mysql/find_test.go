package mysql_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Anomalies are found in code that has no program. The reports are at a level at which there
// are some, and at one at which there are none.
func TestFind(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs and explores them")
	}
	command := built(t)
	golden(t, "found", "find.golden", run(t, command, "find", "found", "--db=mysql", "-v"))
	for iso, want := range map[string]string{
		"innodb-rc":    "15 structures, 5 confirmed by 3 anomalies",
		"innodb-rr-si": "1 structure, 1 confirmed by 1 anomaly",
		"innodb-ser":   "0 structures, 0 confirmed by 0 anomalies, 3 deadlocks", // two that have read a row and then write it
	} {
		out := run(t, command, "find", "found", "--db=mysql", "--iso="+iso, "-v")
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
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
	out := run(t, built(t), "find", "found", "--db=mysql", "--confirm=mariadb:temp", "-v")
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

// Each kind of advice is given, and helps on a server too where there is one.
func TestFindAdvice(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs and explores them")
	}
	args := []string{"--db=mysql", "--advice", "--timeout=10m"}
	_, err := exec.LookPath("mariadbd")
	if err == nil {
		args = append(args, "--confirm=mariadb:temp", "-v")
	}
	out := strings.Join(strings.Fields(run(t, built(t), "find", "advised", args...)), " ")
	for _, want := range []string{
		"UPDATE post SET likes = likes + ? WHERE id = ? with the argument 1 = 1",
		"SELECT likes FROM post WHERE id = ? FOR UPDATE",
		"SELECT likes FROM post WHERE id = ? LOCK IN SHARE MODE",
		"Like at SERIALIZABLE",
		"CREATE UNIQUE INDEX booking_once ON booking (`room`)",
		"SELECT COUNT(*) FROM booking WHERE room = ? FOR UPDATE",
		"Book at SERIALIZABLE",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no advice %q:\n%s", want, out)
		}
	}
	given, helped := strings.Count(out, " advice "), strings.Count(out, "helps on MariaDB")
	if given != 8 || err == nil && helped != given {
		t.Errorf("%d of %d advices help on a server:\n%s", helped, given, out)
	}
}

// Two UPDATEs that only add whole numbers do not depend on each other; those whose arguments may be no whole
// numbers do.
func TestFindSums(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a parser")
	}
	out := run(t, built(t), "find", "sums", "--db=mysql", "--iso=innodb-rc", "--no-run", "--format=json")
	var r struct {
		Unconfirmed []struct {
			Calls     []string
			Structure string
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err, out)
	}
	got := map[string]int{}
	for _, u := range r.Unconfirmed {
		if strings.Contains(u.Structure, "ww(account)") {
			got[strings.Join(u.Calls, " ")]++
		}
	}
	if got["Bank.Take Bank.Take"] > 0 || got["Bank.TakePart Bank.TakePart"] == 0 || got["Bank.Take Bank.TakePart"] == 0 {
		t.Errorf("structures of UPDATEs that depend on each other: %v", got)
	}
}
