package judge_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report/verdict"
)

// archives finds the published histories: where TXMC_HISTORIES says, or beside the
// module. Without them the test is skipped.
func archives(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{os.Getenv("TXMC_HISTORIES"), filepath.Join("..", "..", "..", "shared", "histories")} {
		if _, err := os.Stat(filepath.Join(dir, "real-230.labels.tsv")); dir != "" && err == nil {
			return dir
		}
	}
	t.Skip("the published histories are not here: set TXMC_HISTORIES to the directory that has them")
	return ""
}

// unpack unpacks an archive into a directory of the test's.
func unpack(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) {
			continue
		}
		path := filepath.Join(dir, h.Name)
		data, err := io.ReadAll(r)
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, data, 0o666))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// verdicts judges a history at all levels.
func verdicts(t *testing.T, path string, o judge.Options) map[isolation.Level]*judge.Verdict {
	t.Helper()
	f, err := judge.Load(t.Context(), path, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if o.By == "" {
		o.By = judge.ByReads
	}
	out := map[isolation.Level]*judge.Verdict{}
	if err := f.Judge(t.Context(), isolation.Levels(), o, func(v *judge.Verdict) error {
		out[v.Level] = v
		if v.Violation != nil {
			if _, err := verdict.Violation(t.Context(), f, v.Verdict); err != nil {
				t.Errorf("%s at %v: %v", path, v.Level, err)
			}
		}
		if len(v.Faults) > 0 {
			if faults, err := f.Faults(t.Context(), v.Verdict); err != nil || faults[0].Operation == "" {
				t.Errorf("%s at %v: %+v, %v", path, v.Level, faults, err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// The 230 histories of CockroachDB and Galera that VeriStrong's authors publish,
// with the verdicts of two tools, or one for SER.
func TestRealHistories(t *testing.T) {
	data := archives(t)
	dir := unpack(t, filepath.Join(data, "real-230.tar.gz"))
	labels, err := os.ReadFile(filepath.Join(data, "real-230.labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(labels)), "\n")
	if len(lines) != 231 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines[1:] {
		if i%5 > 0 && !*judge.Long {
			continue
		}
		f := strings.Split(line, "\t")
		got := verdicts(t, filepath.Join(dir, f[0]), judge.Options{})
		for i, l := range []isolation.Level{isolation.RC, isolation.RA, isolation.CC, isolation.SI, isolation.SER} {
			if want := map[string]check.Outcome{"SAT": check.Satisfied, "VIOL": check.Violated}[f[i+1]]; got[l].Outcome != want {
				t.Errorf("%s at %v: %v, want %v", f[0], l, got[l].Outcome, want)
			}
		}
	}
}

// The strongest level that published histories of other tools satisfy, as their
// authors say it. What is said of one level only stands for that one.
func TestNamedHistories(t *testing.T) {
	data := archives(t)
	for archive, files := range map[string]map[string]string{
		"dbcop-hand.tar.gz": {
			"dbcop/rr.bin": "ser", "dbcop/own.bin": "ser", "dbcop/rc_cross.bin": "", "dbcop/skew_doc.bin": "si", "dbcop/yaml/non_cc.yaml": "ra",
			// A session does not see its own write. The axiom of RC (Biswas and Enea,
			// OOPSLA 2019) compares only what a transaction itself has read before.
			"dbcop/initread.bin": "rc",
		},
		"isovista-bugs.tar.gz": {
			"isovista/bugs/dgraph_si.txt": "ra", "isovista/bugs/yugabyte_tcc.txt": "rc", "isovista/bugs/pg_ser_bug.txt": "si",
		},
		"cobra-polysi-named.tar.gz": {
			"table2/ser/cobra/cock-G2": "si", "table2/ser/cobra/yuga-G2-a": "pc",
			// Said to violate SI and SER. Eight reads are of writes 100004 to 100011,
			// which are in none of its logs, so that it violates everything.
			"table2/ser/cobra/cock-blog":              "",
			"table2/si/polysi/dgraph/history.bincode": "ra", "table2/si/polysi/galera/galera.txt": "pc", "table2/si/polysi/yugabyte/yugabyte.txt": "rc",
		},
		"timekiller.tar.gz": {"timekiller/format-kv.json": "si", "timekiller/format-list.json": "si"},
		"polysi-fig8_9_10.tar.gz": {
			"polysi/violations/dgraph/history.bincode": "ra", "polysi/violations/galera/galera.txt": "pc", "polysi/violations/yugabyte/yugabyte.txt": "rc",
		},
	} {
		dir := unpack(t, filepath.Join(data, archive))
		for file, strongest := range files {
			strongestIs(t, filepath.Join(dir, file), strongest)
		}
	}
	dir := unpack(t, filepath.Join(data, "awdit-tests.tar.gz"))
	for folder, strongest := range map[string]string{"none": "", "read-committed": "rc", "read-atomic": "ra"} {
		found, err := judge.Find([]string{filepath.Join(dir, "awdit/tests", folder)}, nil, func(_ string, err error) { t.Error(err) }, nil)
		if err != nil || len(found) == 0 {
			t.Fatal(folder, len(found), err)
		}
		for _, file := range found {
			strongestIs(t, file, strongest)
		}
	}
	found, err := judge.Find([]string{filepath.Join(dir, "awdit/tests/causal")}, nil, func(_ string, err error) { t.Error(err) }, nil)
	if err != nil || len(found) != 6 {
		t.Fatal(len(found), err)
	}
	for _, file := range found { // causal is the strongest that its authors' tool knows
		if v := verdicts(t, file, judge.Options{})[isolation.CC]; v.Outcome != check.Satisfied {
			t.Errorf("%s: %v", file, v.Outcome)
		}
	}
}

func strongestIs(t *testing.T, file, strongest string) {
	t.Helper()
	if got := strongestOf(verdicts(t, file, judge.Options{})); got != strongest {
		t.Errorf("%s satisfies %q at most, want %q", file, got, strongest)
	}
}

// strongestOf is the strongest level that is satisfied, with a question mark when
// those above were not decided.
func strongestOf(all map[isolation.Level]*judge.Verdict) string {
	got := ""
	for _, l := range isolation.Levels() {
		if v := all[l]; v.Outcome == check.Satisfied {
			got = l.String()
		} else if v.Outcome == check.Undecided {
			return got + "?"
		}
	}
	return got
}

// The six sets of some 10,000 transactions with which PolySI was measured all
// satisfy SI.
func TestPolySISets(t *testing.T) {
	if testing.Short() {
		t.Skip("a second")
	}
	dir := unpack(t, filepath.Join(archives(t), "polysi-fig8_9_10.tar.gz"))
	found, err := judge.Find([]string{filepath.Join(dir, "polysi", "fig8_9_10")}, nil, func(_ string, err error) { t.Error(err) }, nil)
	if err != nil || len(found) != 6 {
		t.Fatal(len(found), err)
	}
	for _, file := range found {
		if v := verdicts(t, file, judge.Options{})[isolation.SI]; v.Outcome != check.Satisfied {
			t.Errorf("%s: %v", file, v.Outcome)
		}
	}
}
