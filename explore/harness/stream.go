package harness

import (
	"bufio"
	"io"
	"os"
	"sync"
	"time"

	"github.com/txmc/txmc/dpor"
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

// beat is the time between two progress lines. It is also how soon the harness
// notices that the command has gone.
const beat = 200 * time.Millisecond

// sink sends the events of a run, and progress.
type sink struct {
	out *stream

	mu      sync.Mutex
	now     Progress
	running *dpor.Exploration // nil while a program is prepared
}

// Turn says what the harness is at.
func (s *sink) Turn(name, iso string, x *dpor.Exploration) {
	s.mu.Lock()
	s.now = Progress{Type: TypeProgress, Program: name, Iso: iso}
	s.running = x
	s.mu.Unlock()
	s.progress()
}

// Event sends a line. Listings are long, and wait for what follows.
func (s *sink) Event(event any) {
	s.out.send(event)
	if _, listed := event.(*report.Listed); !listed {
		s.out.flush()
	}
}

// tick sends progress for as long as the process lives.
func (s *sink) tick() {
	for range time.Tick(beat) {
		s.progress()
	}
}

// progress sends how far the harness has come, unless it is still at nothing.
func (s *sink) progress() {
	s.mu.Lock()
	p := s.now
	if s.running != nil {
		st := s.running.Stats()
		p.Histories, p.EndStates, p.Explored, p.Violations = st.Histories, st.EndStates, st.Explored, st.Violations
		p.Depth, p.Round, p.Seconds = st.Depth, st.Round, st.Elapsed.Seconds()
		p.Estimate = st.Estimate
		p.Share, p.ShareLeast, p.ShareMost = st.Estimate.Share(st.Explored)
	}
	s.mu.Unlock()
	if p.Type == "" {
		return
	}
	s.out.send(p)
	s.out.flush()
}
