package load

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A child of another goroutine may still have a harness open for writing. The harness is run when
// that is over.
func TestWritten(t *testing.T) {
	path, err := exec.LookPath("true")
	if err != nil {
		t.Skip(err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h := &Harness{Binary: filepath.Join(t.TempDir(), "harness"), Dir: t.TempDir()}
	if err := os.WriteFile(h.Binary, program, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(h.Binary, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { f.Close() })
	if err := h.Run(t.Context(), nil, nil, io.Discard, func([]byte) error { return nil }); err != nil {
		t.Error(err)
	}
}
