package check

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/isolation"
)

// cobraInput reads Cobra's logs, one a session: big-endian numbers after S, C, W
// (write, key, hash) and R (writer, write, key, hash).
func cobraInput(logs [][]byte) *input {
	r, keys := newRecorder(), make(map[int64]int32)
	key := func(x int64) int32 {
		if _, ok := keys[x]; !ok {
			keys[x] = int32(len(keys))
		}
		return keys[x]
	}
	for s, b := range logs {
		next := func() int64 { v := int64(binary.BigEndian.Uint64(b)); b = b[8:]; return v }
		for len(b) > 0 {
			kind := b[0]
			b = b[1:]
			switch kind {
			case 'S':
				next()
				r.begin(int32(s), history.Unknown)
			case 'C':
				next()
				r.in.fate[len(r.in.fate)-1] = history.Committed
			case 'W':
				write, k := next(), next()
				next()
				r.add(key(k), write, false, true)
			case 'R':
				writer, write, k := next(), next(), next()
				next()
				r.add(key(k), write, writer == 0xbebeebee || writer == 0xdeadbeef, false)
			}
		}
	}
	return r.in
}

// plumeInput reads lines like r(key,value,session,transaction).
func plumeInput(data string) *input {
	r, at := newRecorder(), make(map[[2]int64]int)
	type line struct {
		kind                 byte
		key, value, ses, txn int64
	}
	var txns [][]line
	sessions, keys := make(map[int64]int32), make(map[int64]int32)
	for s := range strings.Lines(data) {
		var l line
		if _, err := fmt.Sscanf(s, "%c(%d,%d,%d,%d)", &l.kind, &l.key, &l.value, &l.ses, &l.txn); err != nil {
			continue
		}
		id := [2]int64{l.ses, l.txn}
		if _, ok := at[id]; !ok {
			at[id] = len(txns)
			txns = append(txns, nil)
		}
		txns[at[id]] = append(txns[at[id]], l)
	}
	for _, ls := range txns {
		if _, ok := sessions[ls[0].ses]; !ok {
			sessions[ls[0].ses] = int32(len(sessions))
		}
		r.begin(sessions[ls[0].ses], history.Committed)
		for _, l := range ls {
			if _, ok := keys[l.key]; !ok {
				keys[l.key] = int32(len(keys))
			}
			r.add(keys[l.key], l.value, l.value == 0, l.kind == 'w')
		}
	}
	return r.in
}

// folders calls do with each history of an archive that is wanted: a file, or a folder of logs.
func folders(t testing.TB, name string, wanted func(name string) bool, do func(name string, in *input)) {
	t.Helper()
	logs := make(map[string][][]byte)
	archive(t, name, func(name string, data []byte) {
		switch {
		case !wanted(name):
		case strings.HasSuffix(name, ".bincode"):
			do(name, dbcopInput(data))
		case strings.HasSuffix(name, ".log"):
			logs[filepath.Dir(name)] = append(logs[filepath.Dir(name)], data)
		case strings.HasSuffix(name, ".txt"):
			do(name, plumeInput(string(data)))
		}
	})
	for dir, files := range logs {
		do(dir, cobraInput(files))
	}
}

// What Cobra, PolySI and IsoVista say of theirs.
func TestNamed(t *testing.T) {
	t.Parallel()
	type verdicts map[isolation.Level]Outcome
	si, ser, cc, ra := isolation.SI, isolation.SER, isolation.CC, isolation.RA
	want := map[string]verdicts{
		"cock-G2":         {si: Satisfied, ser: Violated},
		"cock-blog":       {si: Violated, ser: Violated},
		"yuga-G2-a":       {si: Violated, ser: Violated},
		"polysi/dgraph":   {si: Violated, ser: Violated},
		"polysi/galera":   {si: Violated, ser: Violated},
		"polysi/yugabyte": {si: Violated, ser: Violated},
		"violations":      {si: Violated, ser: Violated},
		"_10000":          {si: Satisfied},
		"-10000":          {si: Satisfied},
		"dgraph_si":       {si: Violated, cc: Violated},
		"yugabyte_tcc":    {ra: Violated, cc: Violated},
		"pg_ser_bug":      {si: Satisfied, ser: Violated},
	}
	seen := make(map[string]bool)
	for _, a := range []string{"cobra-polysi-named.tar.gz", "polysi-fig8_9_10.tar.gz", "isovista-bugs.tar.gz"} {
		named := func(name string) bool {
			for part := range want {
				if strings.Contains(name, part) {
					return true
				}
			}
			return false
		}
		folders(t, a, named, func(name string, in *input) {
			s := in.resolve(false)
			for part, levels := range want {
				if !strings.Contains(name, part) {
					continue
				}
				seen[part] = true
				for l, outcome := range levels {
					v, err := s.judge(t.Context(), l, Options{})
					if err != nil || v.Outcome != outcome {
						t.Errorf("%s %v: %+v, %v; want %v", name, l, v, err, outcome)
					} else if v.Violation != nil {
						t.Logf("%s %v: %d transactions", name, l, len(v.Violation.Txns))
					}
				}
			}
		})
	}
	if len(seen) != len(want) {
		t.Errorf("only %d of %d", len(seen), len(want))
	}
}

// The benchmark sets of PolySI, about 10,000 transactions each: which read is from
// which write, and the decision.
func BenchmarkPolySI(b *testing.B) {
	sets := func(name string) bool { return !strings.Contains(name, "violations") }
	folders(b, "polysi-fig8_9_10.tar.gz", sets, func(name string, in *input) {
		name = strings.Split(name, "/")[2]
		for _, l := range slices.Backward(isolation.Levels()) {
			b.Run(name+"/"+l.String(), func(b *testing.B) {
				for b.Loop() {
					if v, err := in.resolve(false).judge(b.Context(), l, Options{}); err != nil || v.Outcome == Undecided {
						b.Fatal(v, err)
					}
				}
			})
		}
	})
}
