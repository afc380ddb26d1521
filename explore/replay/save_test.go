package replay_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore/replay"
	"github.com/txmc/txmc/report"
)

// The first violation of a program and level is saved, and no other of it; packages
// with the same names have files of their own.
func TestSaver(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "saved here")
	s := &replay.Saver{Dir: dir, Forced: true, Tags: "slow", MaxOps: 7}
	save := func(pkg, message string) {
		t.Helper()
		line, err := report.Line(&report.Violation{
			Type: report.TypeViolation, Package: pkg, Program: "ExploreIt", Iso: "si", Failures: []report.Failure{{Message: message}},
		})
		if err == nil {
			_, err = s.Save(pkg, "/src/"+pkg, line)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	save("a", "first")
	save("a", "second")
	s.Next()
	save("b", "third")
	files, err := filepath.Glob(filepath.Join(dir, "ExploreIt-si-*.json"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v: %v", err, files)
	}
	said := ""
	for _, name := range files {
		f, err := replay.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Tags != "slow" || f.MaxOps != 7 || f.Dir != "/src/"+f.Violation.Package {
			t.Errorf("%+v", f)
		}
		said += f.Violation.Failures[0].Message + " "
	}
	if !strings.Contains(said, "first") || !strings.Contains(said, "third") || strings.Contains(said, "second") {
		t.Errorf("saved: %s", said)
	}
	command := s.Command(&report.Result{Program: "ExploreIt", Iso: "si"})
	if file := strings.TrimSuffix(strings.TrimPrefix(command, "txmc replay '"), "'"); !strings.HasPrefix(file, dir) {
		t.Errorf("%s", command)
	}
	if s.Command(&report.Result{Program: "ExploreIt", Iso: "cc"}) != "" {
		t.Error("a command for what was not saved")
	}
	broken := &replay.Saver{Dir: filepath.Join(dir, "file", "below")}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	line, _ := report.Line(&report.Violation{Type: report.TypeViolation, Program: "ExploreIt", Iso: "si"})
	if _, err := broken.Save("a", "", line); err != nil {
		t.Errorf("where nobody has asked for it: %v", err)
	}
	broken = &replay.Saver{Dir: broken.Dir, Forced: true}
	if _, err := broken.Save("a", "", line); err == nil {
		t.Error("a directory that cannot be made is no error")
	}
}

// A history is judged at the level that was explored or at another axiomatic one; a violation on a
// database at its own alone, by whatever name.
func TestAt(t *testing.T) {
	for _, test := range []struct{ then, iso, want string }{
		{"pc", "", "pc"}, {"pc", "si", "si"}, {"pg-rc", "", "pg-rc"}, {"pg-rc", "read committed", "pg-rc"},
		{"pc", "all", "a history is judged at one level"}, {"pc", "none", "unknown isolation level"},
		{"pc", "pg-rc", "is replayed at its own level, pc"}, {"pg-rc", "serializable", "is replayed at its own level, pg-rc"},
		{"pg-rc", "si", "is replayed at its own level, pg-rc"},
	} {
		f := &replay.File{Violation: &report.Violation{Iso: test.then}}
		level, err := f.At(test.iso)
		got := level.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s, --iso=%q: %s, want %s", test.then, test.iso, got, test.want)
		}
	}
}
