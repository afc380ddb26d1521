package judge

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/isolation"
)

// Batch says how several histories are judged. L is the type of a line, which Line makes of a verdict.
type Batch[L any] struct {
	Options
	Levels      []isolation.Level // the weakest first
	Format      *format.Format    // nil: found out
	Facts       bool              // use the orders that the histories claim
	Certificate string            // file for the order of the strongest level that is satisfied; "" for none
	Workers     int               // how many histories and levels are judged at a time
	Each        time.Duration     // for each history, reading and all levels; 0 for no limit
	// Line makes a line of a verdict. A level that is violated is explained, unless one that it implies
	// was.
	Line func(ctx context.Context, f *File, v *Verdict, explained bool) (L, error)
}

// Judged has the lines of a history.
type Judged[L any] struct {
	Path  string
	Lines chan L // one a level, in order; closed at the end
	Err   error  // what kept it from being judged, when Lines is closed
}

// queue judges histories, several at a time, each in the order of its levels. Histories
// wait for one another when they are too large together. All wait for the caller to take
// the results.
type queue[L any] struct {
	*Batch[L]
	ctx    context.Context
	slots  chan struct{} // as many as work at a time
	ahead  chan struct{} // as many as are begun and not yet taken
	memory *bound
	each   int // how many levels of a history are decided at a time
}

// mostTogether is how large histories that are judged at a time may be, in bytes of
// their files. One alone may be larger.
const mostTogether = 64 << 20

// Judge judges the histories and hands each to show, in order.
func (b *Batch[L]) Judge(ctx context.Context, files []string, show func(*Judged[L]) error) error {
	q := &queue[L]{
		Batch: b, ctx: ctx,
		slots:  make(chan struct{}, b.Workers),
		ahead:  make(chan struct{}, 16*b.Workers),
		memory: newBound(mostTogether),
		each:   max(1, b.Workers/max(1, len(files))),
	}
	for j := range q.start(files) {
		if err := show(j); err != nil {
			return err
		}
		<-q.ahead
	}
	return nil
}

// start begins with the histories, and hands them on in order.
func (q *queue[L]) start(files []string) <-chan *Judged[L] {
	to := make(chan *Judged[L], cap(q.ahead))
	go func() {
		defer close(to)
		for _, path := range files {
			j := &Judged[L]{Path: path, Lines: make(chan L, len(q.Levels))}
			q.ahead <- struct{}{}
			q.slots <- struct{}{}
			size := q.memory.enter(Size(path))
			go func() {
				q.judge(j)
				q.memory.leave(size)
				<-q.slots
			}()
			to <- j
		}
	}()
	return to
}

// judge judges one.
func (q *queue[L]) judge(j *Judged[L]) {
	defer close(j.Lines)
	ctx := q.ctx
	if q.Each > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.Each)
		defer cancel()
	}
	decided, err := q.decide(ctx, j)
	switch {
	case err == nil:
	case ctx.Err() == nil:
		j.Err = err
	default: // what is left was not decided
		f := &File{Path: j.Path, Format: q.Format}
		for _, v := range undecided(ctx, q.Levels[decided:]) {
			if line, err := q.Line(ctx, f, v, false); err == nil {
				j.Lines <- line
			}
		}
	}
}

// decide reads a history, decides its levels, and returns how many it has decided.
func (q *queue[L]) decide(ctx context.Context, j *Judged[L]) (decided int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	f, err := Load(ctx, j.Path, q.Format, q.Facts)
	if err != nil {
		return 0, err
	}
	var explained []isolation.Level
	o := q.Options
	o.Workers = q.each
	err = f.Judge(ctx, q.Levels, o, func(v *Verdict) error {
		first := v.Outcome == check.Violated && !slices.ContainsFunc(explained, v.Level.Implies)
		if first {
			explained = append(explained, v.Level)
		}
		line, err := q.Line(ctx, f, v, first)
		if err != nil {
			return err
		}
		if v.Outcome == check.Satisfied && q.Certificate != "" {
			if err := f.Certify(q.Certificate, v.Verdict.Order); err != nil {
				return err
			}
		}
		j.Lines <- line
		decided++
		return nil
	})
	return decided, err
}

// bound keeps the sum of the sizes of what is begun and not ended below most.
type bound struct {
	mu    sync.Mutex
	freed *sync.Cond
	most  int64
	used  int64
}

func newBound(most int64) *bound {
	b := &bound{most: most}
	b.freed = sync.NewCond(&b.mu)
	return b
}

// enter waits until size fits, or nothing else is begun. It returns the size.
func (b *bound) enter(size int64) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.used > 0 && b.used+size > b.most {
		b.freed.Wait()
	}
	b.used += size
	return size
}

func (b *bound) leave(size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= size
	b.freed.Broadcast()
}
