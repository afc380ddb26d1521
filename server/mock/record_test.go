package mock

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/isolation"
)

// What is recorded can be read again, and is judged to be within its level.
func TestRecorder(t *testing.T) {
	t.Parallel()
	own, err := format.ByName("txmc")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	to, end, err := own.Write(&b)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(*seedFlag, 9))
	_, all := long(t, r, Options{Level: isolation.RC, Seed: 1}, 4, 200, 3, "rw")
	take := Recorder(to, func(err error) { t.Error(err) })
	for _, x := range all {
		take(x)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "served.jsonl")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := judge.Load(context.Background(), file, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	err = f.Judge(context.Background(), []isolation.Level{isolation.RC, isolation.SER}, judge.Options{}, func(v *judge.Verdict) error {
		judged++
		if v.Level == isolation.RC && v.Outcome != check.Satisfied {
			t.Errorf("%v at rc (-seed=%d)", v.Outcome, *seedFlag)
		}
		return nil
	})
	if err != nil || judged != 2 {
		t.Fatalf("%d levels judged: %v", judged, err)
	}
}
