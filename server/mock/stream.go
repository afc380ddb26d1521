package mock

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/format"
)

// Recording. What was served is written once a second, in whole transactions: a server
// that is killed loses the last second. A compressed file is a sequence of parts, each of
// which can be read by itself.

// flushes is how often what was served is written.
const flushes = time.Second

// stream is a file of what was served.
type stream struct {
	mu     sync.Mutex
	file   *os.File
	name   string
	to     history.Sink
	flush  func() error // of to
	part   bytes.Buffer // what has not been written
	failed error
}

// record begins to record, if that is wanted. End ends it.
func (o *Serving) record(from source) (end func() error, err error) {
	if o.Record == "" {
		return func() error { return nil }, nil
	}
	file, err := os.Create(o.Record)
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	s := &stream{file: file, name: o.Record}
	own, err := format.ByName("txmc")
	if err == nil {
		s.to, s.flush, err = own.Write(&s.part)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	take := Recorder(s.to, s.fail)
	from.Record(func(t *Transaction) {
		s.mu.Lock()
		defer s.mu.Unlock()
		take(t)
	})
	stop := s.begin()
	return func() error { return errors.Join(stop(), file.Close()) }, nil
}

// begin writes once a second until it is stopped.
func (s *stream) begin() (stop func() error) {
	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		tick := time.NewTicker(flushes)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.write()
			case <-done:
				return
			}
		}
	})
	return func() error {
		close(done)
		writer.Wait()
		s.write()
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.failed
	}
}

// fail keeps the first error.
func (s *stream) fail(err error) {
	if err != nil && s.failed == nil {
		s.failed = fmt.Errorf("--record: %w", err)
	}
}

// write writes what has come since the last time.
func (s *stream) write() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail(s.flush())
	if s.failed != nil || s.part.Len() == 0 {
		s.part.Reset()
		return
	}
	b, err := compressed(s.name, s.part.Bytes())
	if err == nil {
		_, err = s.file.Write(b)
	}
	s.fail(err)
	s.part.Reset()
}

// compressed is a part of a file of that name.
func compressed(name string, part []byte) ([]byte, error) {
	var b bytes.Buffer
	var w io.WriteCloser
	switch {
	case strings.HasSuffix(name, ".gz"):
		w = gzip.NewWriter(&b)
	case strings.HasSuffix(name, ".zst"):
		z, err := zstd.NewWriter(&b)
		if err != nil {
			return nil, err
		}
		w = z
	default:
		return part, nil
	}
	_, err := w.Write(part)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}
