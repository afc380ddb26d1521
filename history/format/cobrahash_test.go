package format_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/format"
)

// record is one of Cobra's: a letter and numbers.
func record(kind byte, f ...int64) []byte {
	b := []byte{kind}
	for _, x := range f {
		b = binary.BigEndian.AppendUint64(b, uint64(x))
	}
	return b
}

// A read that knows the hash of a value alone is from the one write with this hash,
// also in a later log. Where several writes have it, or none, the history is refused.
func TestCobraHashes(t *testing.T) {
	const unknown, initial = 0xabddefee, 0xbebeebee
	reads := func(f ...int64) []byte { return slices.Concat(record('S', 1), record('R', f...), record('C', 1)) }
	writes := func(txn int64, records ...[]byte) []byte {
		return slices.Concat(record('S', txn), slices.Concat(records...), record('C', txn))
	}
	for _, x := range []struct {
		name   string
		t1, t2 []byte
		want   string
	}{
		{"one write", reads(unknown, unknown, 5, 77), writes(2, record('W', 100, 5, 77), record('W', 101, 5, 78)), "r 5 100"},
		{"the hash of another key", reads(unknown, unknown, 5, 77), writes(2, record('W', 100, 5, 77), record('W', 101, 6, 77)), "r 5 100"},
		{"the write is known", reads(unknown, 101, 5, 77), writes(2, record('W', 100, 5, 77), record('W', 101, 5, 77)), "r 5 101"},
		{"the initial value", reads(unknown, unknown, 5, 77), writes(2, record('R', initial, initial, 5, 77)), "r 5 initial"},
		{"nobody's", reads(unknown, unknown, 5, 77), writes(2, record('R', initial, initial, 5, 78)), `r 5 "hash 4d"`},
		{"two writes", reads(unknown, unknown, 5, 77), writes(2, record('W', 100, 5, 77), record('W', 101, 5, 77)), "T1.log: byte 9: a read of key 5 of which only the hash 4d of the value is known, which 2 writes have, the first with number 100: which"},
		{"a write or the initial value", reads(unknown, unknown, 5, 77), writes(2, record('W', 100, 5, 77), record('R', initial, initial, 5, 77)), "which both write 100 and the initial value have"},
		{"no write", reads(unknown, unknown, 5, 77), writes(2, record('W', 100, 5, 78)), "which no write has, nor is the initial value of the key known"},
	} {
		dir := t.TempDir()
		for name, data := range map[string][]byte{"T1.log": x.t1, "T2.log": x.t2} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f, err := format.Detect(dir)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		err = f.Read(context.Background(), dir, history.Sink{Txn: func(y *history.Txn) error {
			if y.ID == "1" {
				got = fmt.Sprintf("r %s %v", y.Ops[0].Key, y.Ops[0].Value)
			}
			return nil
		}})
		if err != nil {
			got = err.Error()
		}
		if err == nil && got != x.want || !strings.Contains(got, x.want) {
			t.Errorf("%s: got %s, want %s", x.name, got, x.want)
		}
	}
}
