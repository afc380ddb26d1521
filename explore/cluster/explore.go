package cluster

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
)

// A coordinator works for one program at a level. It publishes the tasks of the ledger, and takes
// their results. It cuts tasks in two for workers that have nothing to do, and writes
// checkpoints.

const (
	// tick is the time between two looks at workers and progress.
	tick = 200 * time.Millisecond
	// firstSlice is how long a task may take while there are too few, and slice is how
	// long it may take otherwise; what is left then becomes other tasks.
	firstSlice = 200 * time.Millisecond
	slice      = 10 * time.Second
	// cutAfter is how long a task has taken before it is cut for idle workers.
	cutAfter = 300 * time.Millisecond
	cutAgain = 2 * time.Second // if it has not heard
	// lookEvery is how long nothing comes before the coordinator looks whether the queue
	// has its tasks.
	lookEvery = 5 * time.Second
	// drainFor is how long an exploration that is stopped waits for what tasks have come to.
	drainFor = 3 * time.Second
)

// exploration is a program at a level that workers explore.
type exploration struct {
	*running
	*ledger
	started time.Time
	given   map[string]time.Time // when each open task was published
	cut     map[string]time.Time // when it was told to end
	news    time.Time            // when something was taken last, or looked after
	saved   time.Time            // when the last checkpoint was
	traffic [2]int64             // messages and bytes before
}

// explore lets workers explore from there on.
func (r *running) explore(ctx context.Context, q *explore.Question) (*explore.Answer, error) {
	if q.Again {
		r.hold(nil)
	}
	if a := q.From.Alike; a != nil {
		r.hold(a.Lines)
	}
	if err := r.bring(ctx, q.Needed); err != nil {
		return nil, err
	}
	x := &exploration{
		running: r, ledger: newLedger(q.From, r.request.MaxHistories, r.last), given: map[string]time.Time{}, cut: map[string]time.Time{},
		started: time.Now(), news: time.Now(), saved: time.Now(),
	}
	x.symmetric, x.off = q.Symmetric, q.Off
	x.traffic[0], x.traffic[1] = r.Traffic()
	if !x.over() {
		if err := x.run(ctx); err != nil {
			return nil, err
		}
	}
	r.last = x.number
	return x.answer()
}

// run gives tasks and takes results until it is over.
func (x *exploration) run(ctx context.Context) error {
	soft := x.soft
	if d := x.request.Timeout; d > 0 {
		var cancel context.CancelFunc
		soft, cancel = context.WithTimeout(soft, d)
		defer cancel()
	}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var drained <-chan time.Time
	stopped := soft.Done()
	for !x.over() {
		if drained == nil {
			x.publish(ctx)
		} else if len(x.open) == 0 {
			break
		}
		select {
		case m := <-x.come:
			if err := x.took(ctx, m); err != nil {
				return err
			}
		case <-ticker.C:
			if err := x.tick(ctx); err != nil {
				return err
			}
		case <-stopped:
			stopped, drained = nil, time.After(drainFor)
			x.final = x.request.Checkpoint <= 0
			x.sendOrder(order{Cut: x.ids()})
		case <-drained:
			x.halt(soft)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if drained != nil && !x.over() {
		x.halt(soft)
	}
	x.end(ctx)
	return nil
}

// halt stops the exploration as the context says.
func (x *exploration) halt(soft context.Context) {
	x.stopped = work.ByInterrupt
	if soft.Err() == context.DeadlineExceeded {
		x.stopped = work.ByTimeout
	}
}

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// publish puts new tasks into the queue: two for each worker.
func (x *exploration) publish(ctx context.Context) {
	workers, _, _ := x.workers.now(x.job.ID, x.isOpen, time.Now())
	want := 2*workers + 2
	for _, t := range x.give(want) {
		t.Job, t.Order.Time, t.Order.Calls = x.job.ID, slice, x.calls
		if len(x.open) < want && len(x.pool) == 0 {
			t.Order.Time = firstSlice
		}
		if x.whole.Engine == dpor.States { // what is done until then would be lost
			t.Order.Time = 0
		}
		x.given[t.Order.ID] = time.Now()
		x.send1(ctx, t)
	}
}

// send1 publishes a task. That it is in the queue already is no error; what does not
// come through is looked after later.
func (x *exploration) send1(ctx context.Context, t *task) {
	x.queue.publish(ctx, x.taskSubject(x.job.ID, t.Order.ID), t)
}

func (x *exploration) isOpen(id string) bool { return x.open[id] != nil }

// took takes a result, and acknowledges it when it has been counted.
func (x *exploration) took(ctx context.Context, m jetstream.Msg) error {
	r := &result{}
	if err := x.read(ctx, m, r); err != nil {
		m.NakWithDelay(time.Second) // its object may come
		x.log("a result cannot be read: %v", err)
		return nil
	}
	x.news = time.Now()
	if r.Crash != "" {
		x.log("task %s on worker %s: %s", r.ID, r.Worker, r.Crash)
	}
	lines := x.receive(r)
	delete(x.given, r.ID)
	delete(x.cut, r.ID)
	if err := x.found(lines); err != nil {
		return err
	}
	x.forget(ctx, m)
	m.Ack() // if it is lost, the result comes again and is dropped
	return x.keep()
}

// found sends lines of the report. Where sessions are taken for alike they are held until
// it is known that they are.
func (x *exploration) found(lines []json.RawMessage) error {
	if len(x.symmetric) > 0 {
		x.hold(append(x.held, lines...))
		return nil
	}
	for _, l := range lines {
		if err := x.send(l); err != nil {
			return err
		}
	}
	return nil
}

// tick shows progress, keeps checkpoints, and sees to it that no worker is idle and no
// task forgotten.
func (x *exploration) tick(ctx context.Context) error {
	now := time.Now()
	workers, idle, busy := x.workers.now(x.job.ID, x.isOpen, now)
	if idle > 0 && len(x.pool) == 0 {
		x.sendOrder(order{Cut: x.longest(idle, now)})
	}
	if now.Sub(x.news) > lookEvery && x.IsConnected() {
		x.news = now
		x.lookAfter(ctx)
	}
	if err := x.keep(); err != nil {
		return err
	}
	return x.send(x.progress(workers, busy))
}

// keep sends a checkpoint when one is due.
func (x *exploration) keep() error {
	if x.request.Checkpoint <= 0 || time.Since(x.saved) < x.request.Checkpoint || !x.begun || x.over() {
		return nil
	}
	x.saved = time.Now()
	return x.send(x.left())
}

// left is a checkpoint of what there is.
func (x *exploration) left() *explore.Checkpoint {
	c := x.checkpoint(time.Since(x.started))
	if len(x.symmetric) > 0 || len(x.off) > 0 {
		c.Alike = &explore.Alike{Sets: x.symmetric, Off: x.off, Lines: x.held}
	}
	return &c
}

// longest are the tasks under way that have been open longest, and long enough, for so
// many idle workers.
func (x *exploration) longest(idle int, now time.Time) (list []string) {
	busy := x.workers.tasks(x.job.ID)
	for _, id := range x.ids() {
		if len(list) < idle && busy[id] && x.worthCutting(id, idle, now) && now.Sub(x.cut[id]) > cutAgain && now.Sub(x.given[id]) > cutAfter {
			x.cut[id] = now
			list = append(list, id)
		}
	}
	return list
}

// worthCutting reports whether others are to help with a task. A task that explores a
// region then loses what it has done; others do not.
func (x *exploration) worthCutting(id string, idle int, now time.Time) bool {
	o := &x.open[id].Order
	if x.whole.Engine == dpor.States {
		return o.Divide == 0 && x.divisible() && now.Sub(x.given[id]) < time.Duration(idle)*cutAgain
	}
	return o.Time == slice
}

// sendOrder sends an order to the workers.
func (x *exploration) sendOrder(o order) {
	if len(o.Cut) == 0 && o.End == 0 {
		return
	}
	if data, err := json.Marshal(o); err == nil {
		x.Publish(orders+x.job.ID, data)
		x.count(len(data))
	}
}

// lookAfter publishes the open tasks again that the queue does not have: the server may
// have lost them. One whose result is under way is done twice, and counts once.
func (x *exploration) lookAfter(ctx context.Context) {
	if err := x.ensure(ctx); err != nil {
		return
	}
	x.prepare(ctx)
	queued := map[string]uint64{}
	if s, err := x.js.Stream(ctx, tasksStream); err == nil {
		if info, err := s.Info(ctx, jetstream.WithSubjectFilter(x.filter(x.job.ID))); err == nil {
			queued = info.State.Subjects
		}
	}
	for _, id := range x.ids() {
		if queued[x.taskSubject(x.job.ID, id)] == 0 {
			delete(x.cut, id)
			x.send1(ctx, x.open[id])
		}
	}
}

// progress is where the exploration is.
func (x *exploration) progress(workers int, busy counts) *harness.Progress {
	c := x.whole.Counts
	busy.add(counts{c.Histories, c.EndStates, c.Explored, c.Violations})
	x.mu.Lock()
	share, least, most := x.size.Share(busy.Explored)
	x.mu.Unlock()
	return &harness.Progress{
		Type: harness.TypeProgress, Program: x.at.Program, Iso: x.at.Iso, Seconds: (x.whole.Elapsed + time.Since(x.started)).Seconds(),
		Histories: busy.Histories, EndStates: busy.EndStates, Explored: busy.Explored, Violations: busy.Violations,
		Workers: &workers, Tasks: len(x.open), Share: share, ShareLeast: least, ShareMost: most,
	}
}

// end lets workers leave what nobody wants any more.
func (x *exploration) end(ctx context.Context) {
	if len(x.open) > 0 {
		x.purge(ctx, x.job.ID)
		x.sendOrder(order{End: x.number})
	}
	messages, bytes := x.Traffic()
	if x.Verbose {
		x.log("%s at %s: tasks %d, results that counted %d, that did not %d; messages %d, bytes %d; workers at tasks for %v in %v",
			x.at.Program, x.at.Iso, x.number-x.last, x.taken, x.dropped, messages-x.traffic[0], bytes-x.traffic[1],
			x.busy.Round(time.Millisecond), time.Since(x.started).Round(time.Millisecond))
	}
}

// answer is what the harness is told.
func (x *exploration) answer() (*explore.Answer, error) {
	c := x.left()
	if x.stopped != "" && x.stopped != work.ByViolation && x.request.Checkpoint > 0 && c.Frontier != nil {
		if err := x.send(c); err != nil {
			return nil, err
		}
	}
	if c.Alike != nil {
		c.Alike.Lines = nil // the harness does not need them
	}
	if x.failed != nil {
		x.failed.Package = x.request.Package
	}
	if x.local && len(x.symmetric) > 0 {
		x.hold(nil) // the harness explores from the beginning
	}
	return &explore.Answer{Checkpoint: *c, Stopped: x.stopped, Apart: x.apart, Error: x.failed}, nil
}

// number is that of a task.
func number(id string) int {
	n, err := strconv.Atoi(id)
	if err != nil {
		return 0
	}
	return n
}
