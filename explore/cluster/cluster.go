package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// Cluster lets workers explore what harnesses ask for: it is the coordinator.
type Cluster struct {
	*queue
	Verbose bool  // say what each exploration has taken
	calls   int64 // of explore in a task; 0: no limit
	log     func(format string, args ...any)
	workers *presence
	server  *embedded // nil for one elsewhere
	stop    func()    // ends the workers of this process
}

// Open connects to the cluster, or starts one in this process with so many workers (0:
// one for each core), each exploring on one core. What it has to say goes to log, and
// what client code prints in this process's workers to output.
func Open(ctx context.Context, o *Options, workers int, output io.Writer, log func(format string, args ...any)) (*Cluster, error) {
	c := &Cluster{log: log, stop: func() {}}
	conn, err := c.dial(o)
	if err != nil {
		return nil, err
	}
	if c.queue, err = newQueue(conn); err == nil {
		if c.server != nil {
			c.near = &near{}
		}
		err = c.ensure(ctx)
	}
	if err == nil {
		c.workers, err = watchWorkers(c.queue, log)
	}
	if err == nil && c.server != nil {
		c.workers.quiet = true
		if workers <= 0 {
			workers = runtime.GOMAXPROCS(0)
		}
		c.stop, err = c.hire(ctx, workers, output)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// dial connects to the server of the options.
func (c *Cluster) dial(o *Options) (*nats.Conn, error) {
	const name = "txmc coordinator"
	if o.Cluster != Embedded {
		return o.connect(name, c.log)
	}
	var err error
	if c.server, err = embed(os.Getenv("GOTMPDIR")); err != nil {
		return nil, err
	}
	conn, err := c.server.connect(name)
	if err != nil {
		c.server.stop()
	}
	return conn, err
}

// hire starts workers in this process.
func (c *Cluster) hire(ctx context.Context, n int, output io.Writer) (stop func(), err error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var working sync.WaitGroup
	stop = func() { cancel(); working.Wait() }
	for range n {
		conn, err := c.server.connect("txmc worker")
		if err != nil {
			stop()
			return nil, err
		}
		w := &Worker{Goroutines: 1, Output: output, Log: func(string, ...any) {}, near: c.near}
		working.Go(func() {
			defer conn.Close()
			if err := w.work(ctx, conn); err != nil && ctx.Err() == nil {
				c.log("a worker of this process has ended: %v", err)
			}
		})
	}
	return stop, nil
}

// Close ends the connection, and the server and the workers of this process.
func (c *Cluster) Close() {
	c.stop()
	if c.queue != nil {
		c.queue.Close()
	}
	if c.server != nil {
		c.server.stop()
	}
}

// Traffic is what this process has sent and received of tasks, results and binaries:
// messages, and the bytes of their data.
func (c *Cluster) Traffic() (messages, bytes int64) { return c.messages.Load(), c.bytes.Load() }

// Run runs a harness as [load.Harness.Run] does, with workers that explore what it asks
// for. Lines of the workers are among its own.
func (c *Cluster) Run(ctx context.Context, interrupt <-chan struct{}, h *load.Harness, q harness.Request, output io.Writer, each func(line []byte) error) error {
	hash, err := hashOf(h.Binary)
	if err != nil {
		return err
	}
	j := &job{ID: nuid.Next(), Binary: hash, Dir: h.Dir, Request: q, Made: c.identity}
	j.Request.Mode, j.Request.Checkpoint, j.Request.Done, j.Request.Resume, j.Request.Estimate = harness.ModeParts, 0, nil, "", false
	j.Request.Timeout, j.Request.MaxHistories = 0, 0
	r := &running{Cluster: c, job: j, binary: h.Binary, request: q, relayed: relayed{each: each}}
	if err := r.prepare(ctx); err != nil {
		return fmt.Errorf("the cluster: %w%s", err, adviseStream(err))
	}
	defer c.clean(context.WithoutCancel(ctx), j.ID)
	defer func() { os.Remove(r.archive) }()
	q.Elsewhere = true
	config, err := json.Marshal(q)
	if err != nil {
		return err
	}
	in, orders, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("cannot make a pipe for the harness: %w", err)
	}
	defer in.Close()
	defer orders.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer r.asked.Wait()
	defer cancel()
	r.soft = softened(ctx, interrupt)
	r.answers, r.come = json.NewEncoder(orders), make(chan jetstream.Msg)
	r.asked.Go(func() { r.listen(ctx) })
	return h.RunWith(ctx, interrupt, []string{harness.Variable + "=" + string(config)}, in, output, func(line []byte) error { return r.line(ctx, line) })
}

// softened is a context that ends with ctx or when interrupt is closed.
func softened(ctx context.Context, interrupt <-chan struct{}) context.Context {
	soft, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		select {
		case <-interrupt:
		case <-ctx.Done():
		}
	}()
	return soft
}

// running is a harness that runs.
type running struct {
	*Cluster
	job     *job
	binary  string
	archive string // of the job's files; "" for none
	request harness.Request
	soft    context.Context // ends when the exploration is to end with what it has
	answers *json.Encoder
	come    chan jetstream.Msg // results
	last    int                // number of the last task
	asked   sync.WaitGroup
	relayed
}

// relayed is what comes from the workers and the harness, and goes to the caller.
type relayed struct {
	mu     sync.Mutex // over what follows, and over each
	each   func(line []byte) error
	silent bool // the workers explore: the harness has no progress, and estimates
	size   work.Estimate
	broken error
	held   []json.RawMessage // lines that count if sessions are alike
}

// prepareTries is how often the cluster is given what workers need, when it does not take
// it although it is there.
const prepareTries = 4

// prepare gives the cluster what workers need. A server that is away is waited for: it may
// be starting again.
func (r *running) prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, prepareTries*time.Minute)
	defer cancel()
	for tries := 0; ; {
		if r.IsConnected() {
			tries++
		}
		err := errors.Join(r.upload(ctx, r.binary, r.job.Binary), r.uploadFiles(ctx), r.describe(ctx, r.job))
		if err == nil || tries == prepareTries || ctx.Err() != nil {
			return err
		}
		pause(ctx, tick)
	}
}

// line takes a line of the harness. What the line asks for runs beside: the next lines
// are read meanwhile.
func (r *running) line(ctx context.Context, line []byte) error {
	kind := report.Type(line)
	if kind != explore.TypeElsewhere {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.broken != nil || r.silent && kind == harness.TypeProgress {
			var at harness.Progress
			if json.Unmarshal(line, &at) == nil && at.Iso != "" {
				r.size = at.Estimate
			}
			return r.broken
		}
		if kind == report.TypeResult {
			if err := r.release(line); err != nil {
				return err
			}
		}
		return r.each(line)
	}
	var q explore.Question
	if err := json.Unmarshal(line, &q); err != nil || q.From == nil {
		return harness.Garbled(fmt.Errorf("%.60q", line))
	}
	r.setSilent(true)
	r.asked.Go(func() {
		answer, err := r.explore(ctx, &q)
		r.setSilent(false)
		if err == nil {
			err = r.answers.Encode(answer)
		}
		if err != nil {
			r.mu.Lock()
			r.broken = err
			r.mu.Unlock()
		}
	})
	return nil
}

// listen hands on results. A server that is gone is waited for.
func (r *running) listen(ctx context.Context) {
	for ctx.Err() == nil {
		consumer, err := r.resultsConsumer(ctx, r.job.ID)
		for err == nil {
			err = fetch(ctx, consumer, 32, func(m jetstream.Msg) error {
				select {
				case r.come <- m:
				case <-ctx.Done(): // the job is over
				}
				return ctx.Err()
			})
			err = cmp.Or(err, ctx.Err())
		}
		if err != nil {
			pause(ctx, tick)
		}
	}
}

// fetchFor is how long one request for messages waits.
const fetchFor = 2 * time.Second

// fetch hands on the next messages, at most n, when some come in time and before ctx ends.
func fetch(ctx context.Context, consumer jetstream.Consumer, n int, each func(jetstream.Msg) error) error {
	waiting, end := context.WithTimeout(ctx, fetchFor)
	defer end()
	batch, err := consumer.Fetch(n, jetstream.FetchContext(waiting), jetstream.FetchHeartbeat(fetchFor/4))
	if err != nil {
		return err
	}
	for m := range batch.Messages() {
		if err := each(m); err != nil {
			return err
		}
	}
	if err := batch.Error(); err != nil && waiting.Err() == nil {
		return err
	}
	return nil
}

func (r *running) setSilent(is bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent, r.size = is, work.Estimate{}
}

// hold sets the lines that are held until the result.
func (r *running) hold(lines []json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = lines
}

// release hands on the lines that were held until the result. Those of an exploration that can
// go on are in its checkpoint: two sessions may still turn out to differ.
func (r *running) release(result []byte) error {
	var is report.Result
	if err := json.Unmarshal(result, &is); err != nil {
		return harness.Garbled(err)
	}
	if r.request.Checkpoint > 0 && !is.Complete && is.Stopped != string(work.ByViolation) {
		r.held = nil
	}
	for _, l := range r.held {
		if err := r.hand(l); err != nil {
			return err
		}
	}
	r.held = nil
	return nil
}

// send hands on lines, and events as lines.
func (r *running) send(lines ...any) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hand(lines...)
}

func (r *running) hand(lines ...any) error {
	for _, l := range lines {
		line, raw := l.(json.RawMessage)
		if !raw {
			var err error
			if line, err = report.Line(l); err != nil {
				return err
			}
		} else if line = slices.Clone(line); len(line) == 0 || line[len(line)-1] != '\n' {
			line = append(line, '\n')
		}
		if err := r.each(line); err != nil {
			return err
		}
	}
	return nil
}
