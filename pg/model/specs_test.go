package model_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	process "os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/explore/spec"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
	"github.com/txmc/txmc/server/specs"
)

// Files of PostgreSQL's isolationtester: ours, in explore/spec/testdata, whose outputs PostgreSQL's own tester has
// recorded on a real server; or any directory of others.

var (
	specFiles    = flag.String("specs", "", "directory of files of isolationtester, to be run under the model in place of ours")
	specExpected = flag.String("expected", "", "directory with what is expected of them; by default the directory expected beside theirs")
	specOnly     = flag.String("only", "", "regular expression of the names of files that are run")
	specDiffer   = flag.String("differ", "", "directory in which to write what differs")
	specRecord   = flag.Bool("record", false, "record what is expected of our files by this machine's isolationtester and PostgreSQL")
)

// ourSpecs has our files.
const ourSpecs = "../../explore/spec/testdata/specs"

// TestSpecs runs files of isolationtester under the model: what is printed is what the tester prints.
func TestSpecs(t *testing.T) {
	t.Parallel()
	ours := *specFiles == ""
	dir := cmp.Or(*specFiles, ourSpecs)
	files, err := filepath.Glob(filepath.Join(dir, "*.spec"))
	if err != nil {
		t.Fatal(err)
	}
	only := regexp.MustCompile(*specOnly)
	var all specCount
	wholly, number := 0, 0
	for _, f := range files {
		if name := filepath.Base(f); !only.MatchString(name[:len(name)-len(spec.Suffix)]) {
			continue
		}
		if ours && deadlinetest.Over(t) {
			return
		}
		c := runSpec(t, f, cmp.Or(*specExpected, filepath.Join(dir, "..", "expected")))
		number++
		if c.equal == c.permutations {
			wholly++
		}
		all.add(c)
	}
	t.Logf("%d files, %d wholly equal: %v", number, wholly, all)
	if all.differ > 0 || all.refused > 0 && ours || number == 0 {
		t.Errorf("%d permutations differ and %d are refused in %d files", all.differ, all.refused, number)
	}
}

// specCount counts permutations.
type specCount struct{ permutations, equal, differ, refused int }

func (c *specCount) add(o specCount) {
	c.permutations += o.permutations
	c.equal += o.equal
	c.differ += o.differ
	c.refused += o.refused
}

func (c specCount) String() string {
	return fmt.Sprintf("%d permutations, %d equal, %d differ, %d refused", c.permutations, c.equal, c.differ, c.refused)
}

// runSpec runs the permutations of a file.
func runSpec(t *testing.T, file, expected string) (c specCount) {
	t.Helper()
	s, _, err := spec.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.ReadExpected(expected)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	m := spec.NewModel(s, isolation.PgRC)
	defer m.Close()
	var why []string
	var differ strings.Builder
	for i, p := range s.Orders() {
		var b bytes.Buffer
		c.permutations++
		if err := s.Run(t.Context(), m, p, &b); err != nil {
			c.refused++
			why = append(why, err.Error())
		} else if want.Has(i, b.String()) {
			c.equal++
		} else {
			c.differ++
			fmt.Fprintf(&differ, "== expected%s\n== got%s\n", want.Of(i), b.String())
		}
	}
	t.Logf("%-34s %v, %.1f s", s.Name(), c, time.Since(begun).Seconds())
	for i, w := range why {
		if i == 0 || w != why[i-1] {
			t.Logf("    refused: %s", w)
		}
	}
	switch {
	case differ.Len() == 0:
	case *specDiffer == "":
		t.Log(differ.String())
	default:
		if err := os.WriteFile(filepath.Join(*specDiffer, s.Name()+".txt"), []byte(differ.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
	return c
}

// TestSpecsOnServer runs our files on a real server by our rules, which are those of PostgreSQL's own tester: what
// that has recorded is what is printed. With -record it records it.
func TestSpecsOnServer(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	server := scratchtest.Start(t, scratch.Postgres, nil)
	files, err := filepath.Glob(filepath.Join(ourSpecs, "*.spec"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if deadlinetest.Over(t) {
			return
		}
		if *specRecord {
			recordSpec(t, server.DSN("postgres"), f)
		}
		s, _, err := spec.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		var out, problems bytes.Buffer
		c := specs.Command{Files: []string{f}, Expected: filepath.Join(ourSpecs, "../expected"), DSN: server.DSN("postgres"), Stdout: &out, Stderr: &problems}
		if status := c.Print(t.Context(), []*spec.Spec{s}); status != 0 {
			t.Errorf("status %d:\n%s%s", status, &out, &problems)
		}
	}
}

// recordSpec records what the machine's tester prints.
func recordSpec(t *testing.T, dsn, file string) {
	t.Helper()
	testers, _ := filepath.Glob("/usr/lib/postgresql/*/lib/pgxs/src/test/isolation/isolationtester")
	if len(testers) == 0 {
		t.Skip("this machine has no isolationtester")
	}
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd := process.CommandContext(t.Context(), testers[len(testers)-1], dsn)
	cmd.Env = append(os.Environ(), "PGDATESTYLE=Postgres, MDY", "PGTZ=America/Los_Angeles", "PGOPTIONS=-c intervalstyle=postgres_verbose")
	cmd.Stdin = in
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil || problems.Len() > 0 {
		t.Fatalf("%s: %v\n%s", file, err, &problems)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".spec") + ".out"
	if err := os.WriteFile(filepath.Join(ourSpecs, "../expected", name), out, 0o644); err != nil {
		t.Fatal(err)
	}
}
