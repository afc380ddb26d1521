//go:build unix

package format_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/format"
)

// A pipe that nobody writes to is refused and not waited for.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	ended := make(chan error)
	go func() {
		_, err := format.Detect(path)
		ended <- err
		if format.Compressed(path) {
			t.Error("a pipe is compressed")
		}
		for _, f := range format.Formats() {
			if !f.Folder() {
				ended <- f.Read(context.Background(), path, history.Sink{})
			}
		}
		for _, log := range []string{"T1.log", "J1.log"} { // a folder's log that is a pipe
			dir := t.TempDir()
			if err := os.Symlink(path, filepath.Join(dir, log)); err != nil {
				t.Error(err)
			}
			f, err := format.Detect(dir)
			if err == nil {
				err = f.Read(context.Background(), dir, history.Sink{})
			}
			if err == nil || !strings.Contains(err.Error(), log+": expected a file") {
				t.Errorf("%s: %v", log, err)
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
		case <-time.After(2 * time.Minute):
			t.Fatal("the pipe is waited for")
		}
	}
}
