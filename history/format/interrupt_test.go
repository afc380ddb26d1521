package format_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/format"
)

// The end of the context is noticed in the middle of a file, compressed or not, and
// by the next block that is read.
func TestInterrupted(t *testing.T) {
	const txns = 1 << 17
	text := bytes.Repeat([]byte("w 1 1\n-----\n"), txns)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(text)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := format.ByName("awdit")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"plain": text, "packed": packed.Bytes()} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		read := 0
		err = f.Read(ctx, path, history.Sink{Txn: func(*history.Txn) error {
			if read++; read == 1000 {
				stop()
			}
			return nil
		}})
		if !errors.Is(err, context.Canceled) || read > txns/4 {
			t.Errorf("%s: %d transactions were read, %v", name, read, err)
		}
	}
}
