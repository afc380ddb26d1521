package checker

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/isolation"
)

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
				in.ops = append(in.ops, op{keys[k], vals[[2]uint64{k, v}], w == 1})
			}
			o := committed
			if u8() == 0 {
				o = aborted
			}
			in.session = append(in.session, int32(s))
			in.outcome = append(in.outcome, o)
			in.off = append(in.off, int32(len(in.ops)))
		}
	}
	in.keys = len(keys)
	return in
}

func TestReal(t *testing.T) {
	b, err := os.ReadFile("/work/shared/histories/real-230.labels.tsv")
	if err != nil {
		t.Skip(err)
	}
	levels := []isolation.Level{isolation.RC, isolation.RA, isolation.CC, isolation.SI, isolation.SER}
	spent := map[isolation.Level]time.Duration{}
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n")[1:] {
		f := strings.Split(line, "\t")
		data, err := os.ReadFile(filepath.Join("/tmp/hist", f[0]))
		if err != nil {
			t.Fatal(err)
		}
		s := dbcopInput(data).resolve(false)
		for i, l := range levels {
			t0 := time.Now()
			v, err := s.judge(context.Background(), l, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d := time.Since(t0); d > 200*time.Millisecond {
				t.Log(f[0], l, d, len(s.in.session), v.Outcome)
			}
			spent[l] += time.Since(t0)
			want := map[string]Outcome{"SAT": Satisfied, "VIOL": Violated}[f[1+i]]
			if v.Outcome != want {
				t.Errorf("%s %v: %v, want %v; %+v open %d", f[0], l, v.Outcome, want, v.Faults, len(s.open))
			}
			if v.Violation != nil && isolation.Satisfies(v.Violation.History, l) {
				t.Errorf("%s %v: satisfied alone: %v", f[0], l, v.Violation.Txns)
			}
			if v.Violation != nil && len(v.Violation.Txns) > 12 {
				t.Log(f[0], l, len(v.Violation.Txns))
			}
		}
	}
	t.Log(spent)
}
