package harness

import (
	"bufio"
	"io"
	"os"
	"sync"

	"github.com/txmc/txmc/report"
)

// stream sends lines to the command.
type stream struct {
	mu sync.Mutex
	w  *bufio.Writer
}

func newStream(w io.Writer) *stream { return &stream{w: bufio.NewWriterSize(w, 1<<16)} }

// send queues a line. When the command has gone nobody wants the rest, and the
// process ends.
func (s *stream) send(v any) {
	line, err := report.Line(v)
	if err != nil {
		os.Stderr.WriteString("txmc: cannot encode a report: " + err.Error() + "\n")
		os.Exit(2)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.w.Write(line); err != nil {
		os.Exit(2)
	}
}

// flush lets the command see what was sent.
func (s *stream) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.w.Flush() != nil {
		os.Exit(2)
	}
}
