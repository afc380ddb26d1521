package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// Worker does the tasks of a cluster.
type Worker struct {
	Goroutines int       // that explore; 0: one for each core
	Cache      string    // directory for binaries; "" for one that is removed at the end
	Output     io.Writer // what client code prints
	Log        func(format string, args ...any)

	name    string
	ackWait time.Duration // of tests; 0: ackWait
	near    *near         // of the coordinator in this process; nil: there is none
	queue   *queue
	dir     string
	jobs    map[string]*process // by job: the one that was used last, and at most one more
	underWay
}

// underWay is the task under way.
type underWay struct {
	mu      sync.Mutex
	now     hello
	refused string
	abort   context.CancelFunc // ends the task under way, with nothing to show
	cut     func()             // ends it with what it has come to
	leaving bool
}

// Work works until ctx ends: then what the task under way has come to is sent, and the
// rest of it is for others. When kill ends it leaves at once.
func (w *Worker) Work(ctx, kill context.Context, o *Options) error {
	conn, err := o.connect("txmc worker", w.Log)
	if err != nil {
		return err
	}
	defer conn.Close()
	context.AfterFunc(kill, conn.Close)
	w.Log("waiting for work from %s", o.address())
	return w.work(ctx, conn)
}

// work does the tasks that come over a connection.
func (w *Worker) work(ctx context.Context, conn *nats.Conn) (err error) {
	if w.queue, err = newQueue(conn); err != nil {
		return err
	}
	if w.ackWait > 0 {
		w.queue.ackWait = w.ackWait
	}
	host, _ := os.Hostname()
	w.name = fmt.Sprintf("%s-%d-%s", subjectToken(host), os.Getpid(), nuid.Next()[16:])
	if w.dir = w.Cache; w.dir == "" {
		if w.dir, err = os.MkdirTemp(os.Getenv("GOTMPDIR"), "txmc-worker-"); err != nil {
			return err
		}
		defer os.RemoveAll(w.dir)
	} else if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return err
	} else {
		prune(w.dir, time.Now().Add(-unused))
	}
	if err := w.queue.ensure(ctx); err != nil {
		return err
	}
	w.jobs = map[string]*process{}
	w.now = hello{Worker: w.name, Identity: w.queue.identity}
	working, end := context.WithCancel(ctx)
	defer end()
	if err := w.listen(end); err != nil {
		return err
	}
	context.AfterFunc(ctx, w.leave)
	var greeting sync.WaitGroup
	greeting.Go(func() { w.greet(working) })
	defer func() {
		end()
		greeting.Wait()
		for _, p := range w.jobs {
			p.end()
		}
	}()
	for working.Err() == nil {
		if err := w.next(working); err != nil && working.Err() == nil {
			pause(working, tick) // the server is away: the connection comes back by itself
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refused != "" {
		return fmt.Errorf("the coordinator refuses this worker: %s", w.refused)
	}
	return nil
}

// unused is how long a binary, or a directory of files, stays in a cache that nobody uses.
const unused = 30 * 24 * time.Hour

// prune removes the binaries and files that were not used since then. What cannot be removed stays.
func prune(dir string, since time.Time) {
	for _, kept := range []string{"harness-*.exe", "files-*", "unpack-*", "download-*"} {
		names, _ := filepath.Glob(filepath.Join(dir, kept))
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && info.ModTime().Before(since) {
				os.RemoveAll(name)
			}
		}
	}
}

// subjectToken makes a name fit for a subject.
func subjectToken(name string) string {
	out := []byte(name)
	for i, c := range out {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			out[i] = '-'
		}
	}
	return string(out)
}

// listen hears what coordinators say.
func (w *Worker) listen(end func()) error {
	_, err := w.queue.Subscribe(answers+w.name, func(m *nats.Msg) {
		var a answer
		if json.Unmarshal(m.Data, &a) != nil || a.Refused == "" {
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.refused = a.Refused
		end()
	})
	if err != nil {
		return err
	}
	_, err = w.queue.Subscribe(orders+"*", func(m *nats.Msg) {
		var o order
		if json.Unmarshal(m.Data, &o) == nil {
			w.obey(m.Subject[len(orders):], o)
		}
	})
	return err
}

// obey does what a coordinator says, if it is about the task under way.
func (w *Worker) obey(job string, o order) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now.Task == "" || w.now.Job != job {
		return
	}
	if number(w.now.Task) <= o.End && w.abort != nil {
		w.abort()
	}
	for _, id := range o.Cut {
		if id == w.now.Task && w.cut != nil {
			w.cut()
		}
	}
}

// leave ends the task under way with what it has come to.
func (w *Worker) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.leaving = true
	if w.cut != nil {
		w.cut()
	}
}

// greet says that the worker is there, until ctx ends.
func (w *Worker) greet(ctx context.Context) {
	for {
		w.mu.Lock()
		w.now.Leaves = ctx.Err() != nil
		data, _ := json.Marshal(w.now)
		w.mu.Unlock()
		w.queue.Publish(hellos, data)
		if ctx.Err() != nil {
			w.queue.Flush()
			return
		}
		pause(ctx, beat)
	}
}

// next waits for a task and does it.
func (w *Worker) next(ctx context.Context) error {
	consumer, err := w.queue.workersConsumer(ctx)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		err := fetch(ctx, consumer, 1, func(m jetstream.Msg) error {
			if ctx.Err() != nil {
				return m.Nak() // for another worker
			}
			return w.do(ctx, m)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mostDeliveries is how often a task may be delivered without any answer: its workers
// have been killed, each time, or have lost the server.
const mostDeliveries = 12

// do does a task. The queue hears that it is under way, and that it is done when its
// result is stored.
func (w *Worker) do(ctx context.Context, m jetstream.Msg) error {
	t := &task{}
	if err := w.queue.read(ctx, m, t); err != nil {
		m.NakWithDelay(time.Second)
		return err
	}
	// The result is sent although the worker is leaving.
	doing, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	context.AfterFunc(ctx, func() { time.AfterFunc(drainFor, abort) })
	w.begin(t, abort)
	defer w.begin(&task{}, nil)
	stopAlive := w.queue.alive(doing, m)
	began := time.Now()
	r, err := w.explore(doing, m, t)
	stopAlive()
	switch {
	case doing.Err() != nil && ctx.Err() == nil:
		m.Ack() // nobody wants it any more
		return nil
	case err != nil:
		m.NakWithDelay(time.Second)
		return err
	case r == nil:
		m.Nak()
		return nil
	}
	r.Job, r.ID, r.Worker, r.Busy = t.Job, t.Order.ID, w.name, time.Since(began)
	if err := w.queue.publish(doing, results+t.Job+"."+t.Order.ID, r); err != nil {
		m.NakWithDelay(time.Second)
		return err
	}
	w.queue.forget(doing, m)
	return m.Ack()
}

// begin notes which task is under way.
func (w *Worker) begin(t *task, abort context.CancelFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now.Job, w.now.Task, w.now.Counts = t.Job, t.Order.ID, counts{}
	w.abort, w.cut = abort, nil
}

// alive tells the queue that a task is under way, until the result is called.
func (q *queue) alive(ctx context.Context, m jetstream.Msg) (stop func()) {
	ctx, stop = context.WithCancel(ctx)
	go func() {
		for ctx.Err() == nil {
			if pause(ctx, q.ackWait/4); ctx.Err() == nil {
				m.InProgress()
			}
		}
	}()
	return stop
}

// explore lets a harness explore the task. The result is nil when the task has to be done
// by another worker.
func (w *Worker) explore(ctx context.Context, m jetstream.Msg, t *task) (*result, error) {
	if meta, err := m.Metadata(); err == nil && meta.NumDelivered > mostDeliveries {
		return &result{Crash: fmt.Sprintf("it was delivered %d times, and no worker has answered: each was killed, or ran out of memory", mostDeliveries)}, nil
	}
	p, err := w.process(ctx, t.Job)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil // the job is over
	}
	if err != nil {
		return nil, err
	}
	stop := sync.OnceFunc(func() { p.stop(t.Order.ID) })
	w.mu.Lock()
	w.cut = stop
	leaving := w.leaving
	w.mu.Unlock()
	if leaving {
		return nil, nil
	}
	return p.do(ctx, &t.Order, func(c counts) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.now.Counts = c
	})
}

// process is the harness of a job. One that is not there is started; of those of other
// jobs one stays.
func (w *Worker) process(ctx context.Context, id string) (*process, error) {
	if p := w.jobs[id]; p != nil && !p.ended() {
		return p, nil
	}
	j, err := w.queue.learn(ctx, id)
	if err != nil {
		return nil, err
	}
	if j.Made != w.queue.identity {
		return nil, fmt.Errorf("a job that this worker cannot do: %s", w.queue.identity.differs(j.Made))
	}
	binary := w.near.at(j.Binary)
	if binary == "" {
		binary = filepath.Join(w.dir, "harness-"+j.Binary+".exe")
		if err := w.queue.download(ctx, binary, j.Binary); err != nil {
			return nil, err
		}
	}
	env, err := w.environment(ctx, j.Files)
	if err != nil {
		return nil, err
	}
	for other, p := range w.jobs {
		if p.ended() || len(w.jobs) > 1 {
			p.end()
			delete(w.jobs, other)
		}
	}
	j.Request.Workers = w.Goroutines
	p, err := start(j, binary, w.home(j), env, w.Output)
	if err == nil {
		w.jobs[id] = p
	}
	return p, err
}

// home is where a harness runs: in the package's directory if it is there, as on the
// coordinator's machine.
func (w *Worker) home(j *job) string {
	if info, err := os.Stat(j.Dir); err == nil && info.IsDir() {
		return j.Dir
	}
	return w.dir
}

// DefaultCache is where a worker keeps binaries: below the user's cache, or nowhere.
func DefaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "txmc", "worker")
}
