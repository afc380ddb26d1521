package check

import (
	"archive/tar"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/isolation"
)

// dbcopInput reads dbcop's binary format, the same version of a value for a key
// with the same number.
func dbcopInput(b []byte) *input {
	u64 := func() uint64 { v := binary.LittleEndian.Uint64(b); b = b[8:]; return v }
	u8 := func() byte { v := b[0]; b = b[1:]; return v }
	for range 5 {
		u64()
	}
	for range 3 {
		n := u64()
		b = b[n:]
	}
	in := &input{off: []int32{0}}
	keys := map[uint64]int32{}
	vals := map[[2]uint64]int32{}
	for s := range u64() {
		for range u64() {
			for range u64() {
				w, k, v, ok := u8(), u64(), u64(), u8()
				if ok == 0 {
					continue
				}
				if _, ok := keys[k]; !ok {
					keys[k] = int32(len(keys))
				}
				if _, ok := vals[[2]uint64{k, v}]; !ok {
					vals[[2]uint64{k, v}] = int32(len(vals))
					in.initial = append(in.initial, v == 0)
				}
				in.ops = append(in.ops, op{key: keys[k], value: vals[[2]uint64{k, v}], write: w == 1})
			}
			o := history.Committed
			if u8() == 0 {
				o = history.Aborted
			}
			in.session = append(in.session, int32(s))
			in.fate = append(in.fate, o)
			in.off = append(in.off, int32(len(in.ops)))
		}
	}
	in.keys = len(keys)
	return in
}

// shared returns a file of recorded histories: from where TXMC_HISTORIES says, or
// from beside the module; without them the test is skipped.
func shared(t testing.TB, name string) string {
	t.Helper()
	for _, dir := range []string{os.Getenv("TXMC_HISTORIES"), filepath.Join("..", "..", "..", "shared", "histories")} {
		if path := filepath.Join(dir, name); dir != "" {
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	t.Skip("the recorded histories are not here: set TXMC_HISTORIES to the directory that has " + name)
	return ""
}

// archive calls do with each file of a .tar.gz.
func archive(t testing.TB, name string, do func(name string, data []byte)) {
	t.Helper()
	f, err := os.Open(shared(t, name))
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
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			do(h.Name, data)
		}
	}
}

// The verdicts on recordings of CockroachDB and Galera, on which other tools agree.
func TestRecorded(t *testing.T) {
	t.Parallel()
	labels, err := os.ReadFile(shared(t, "real-230.labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string][]string)
	for line := range strings.Lines(string(labels)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		want[f[0]] = f[1:]
	}
	levels := []isolation.Level{isolation.RC, isolation.RA, isolation.CC, isolation.SI, isolation.SER}
	count := 0
	archive(t, "real-230.tar.gz", func(name string, data []byte) {
		// Package judge has the verdicts on all of them.
		if count++; count%30 > 0 && !*long {
			return
		}
		s := dbcopInput(data).resolve(false)
		for i, l := range levels {
			v, err := s.judge(t.Context(), l, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if want := map[string]Outcome{"SAT": Satisfied, "VIOL": Violated}[want[name][i]]; v.Outcome != want {
				t.Errorf("%s %v: %v, want %v", name, l, v.Outcome, want)
			}
			if v.Violation != nil && isolation.Satisfies(v.Violation.History, l) {
				t.Errorf("%s %v: satisfied by what should show the violation: %v", name, l, v.Violation.Txns)
			}
		}
	})
	if count != 230 {
		t.Errorf("%d histories", count)
	}
}

// PolySI's general histories satisfy SI, and serializability; its violations do not.
func TestGeneral(t *testing.T) {
	t.Parallel()
	archive(t, "polysi-fig8_9_10.tar.gz", func(name string, data []byte) {
		if !strings.HasSuffix(name, ".bincode") {
			return
		}
		s := dbcopInput(data).resolve(false)
		for _, l := range isolation.Levels() {
			want := Satisfied
			if strings.Contains(name, "violations") {
				if want = Violated; l < isolation.SI {
					continue
				}
			}
			if v, err := s.judge(t.Context(), l, Options{}); err != nil || v.Outcome != want {
				t.Errorf("%s %v: %v, %v", name, l, v, err)
			}
		}
	})
}

// Histories made to catch checkers: the strongest level satisfied.
func TestTraps(t *testing.T) {
	t.Parallel()
	want := map[string]isolation.Level{"rr.bin": isolation.SER, "own.bin": isolation.SER,
		"rc_cross.bin": isolation.True, "skew_doc.bin": isolation.SI,
		"initread.bin": isolation.RC, // which promises a session nothing about its own writes
	}
	archive(t, "dbcop-hand.tar.gz", func(name string, data []byte) {
		strongest, ok := want[filepath.Base(name)]
		if !ok {
			return
		}
		s := dbcopInput(data).resolve(false)
		for _, l := range isolation.Levels() {
			if v, err := s.judge(t.Context(), l, Options{}); err != nil || (v.Outcome == Satisfied) != (l <= strongest) {
				t.Errorf("%s %v: %v, %v", name, l, v, err)
			}
		}
	})
}
