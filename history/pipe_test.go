//go:build unix

package history_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/txmc/txmc/history"
)

// A pipe that nobody writes to is refused and not waited for.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	ended := make(chan error)
	go func() {
		_, err := history.Detect(path)
		ended <- err
		for _, f := range history.Formats() {
			if !f.Folder() {
				ended <- f.Read(path, history.Sink{})
			}
		}
		close(ended)
	}()
	for {
		select {
		case err, more := <-ended:
			if !more {
				return
			}
			if err == nil || !strings.Contains(err.Error(), path+": expected a file") {
				t.Errorf("got %v", err)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("the pipe is waited for")
		}
	}
}
