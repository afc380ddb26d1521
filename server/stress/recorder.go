package stress

import (
	"bytes"
	"os"
	"sync"
	"time"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/format"
)

// flushEvery is how often what was recorded goes to the file: so much is lost when the
// process is killed.
const flushEvery = 250 * time.Millisecond

// recorder writes a history to a file as it happens, in the own format. What is in the file
// ends with a whole line at any time.
type recorder struct {
	mu    sync.Mutex
	file  *os.File
	lines bytes.Buffer
	to    history.Sink
	flush func() error // what to has, to lines
	err   error
	stop  chan struct{}
	ended sync.WaitGroup
}

// newRecorder creates the file.
func newRecorder(name string) (*recorder, error) {
	own, err := format.ByName("txmc")
	if err != nil {
		return nil, err
	}
	r := &recorder{stop: make(chan struct{})}
	if r.to, r.flush, err = own.Write(&r.lines); err != nil {
		return nil, err
	}
	if r.file, err = os.Create(name); err != nil {
		return nil, err
	}
	r.ended.Go(r.every)
	return r, nil
}

// every writes to the file now and then.
func (r *recorder) every() {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.mu.Lock()
			r.write()
			r.mu.Unlock()
		case <-r.stop:
			return
		}
	}
}

// write writes whole lines.
func (r *recorder) write() {
	if r.err == nil && r.lines.Len() > 0 {
		_, r.err = r.file.Write(r.lines.Bytes())
	}
	r.lines.Reset()
}

// txn records a transaction.
func (r *recorder) txn(t *history.Txn) error {
	return r.record(func() error { return r.to.Txn(t) })
}

// fact records what the server tells.
func (r *recorder) fact(f history.Fact) error {
	return r.record(func() error { return r.to.PutFact(f) })
}

// most is how much is kept in memory, in bytes.
const most = 1 << 20

func (r *recorder) record(line func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, do := range []func() error{line, r.flush} {
		if r.err == nil {
			r.err = do()
		}
	}
	if r.lines.Len() > most {
		r.write()
	}
	return r.err
}

// close ends the file.
func (r *recorder) close() error {
	close(r.stop)
	r.ended.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write()
	if err := r.file.Close(); r.err == nil {
		r.err = err
	}
	return r.err
}
