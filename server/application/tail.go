package application

import (
	"bytes"
	"sync"
)

// tail keeps the last lines of what a process prints.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write takes what is printed.
func (t *tail) Write(b []byte) (int, error) {
	const most = 4 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - most; over > 0 {
		t.text = bytes.Clone(t.text[over:])
	}
	return len(b), nil
}

// String are the last lines.
func (t *tail) String() string {
	const most = 12
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimRight(t.text, "\n"), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-most):], []byte("\n")))
}
