package main

import (
	"github.com/txmc/txmc/checker"
	"github.com/txmc/txmc/recorded"
)

// judged is what becomes of a history.
type judged struct {
	path  string
	lines chan *verdictLine // one a level, in order; closed at the end
	err   error             // what kept it from being judged, when lines is closed
}

// queue judges histories, several at a time, each in the order of its levels. Those
// that are large together wait for one another, and so do all for who takes the
// results.
type queue struct {
	*checking
	slots chan struct{} // as many as work at a time
	ahead chan struct{} // as many as are begun and not yet taken
	room  *room
	each  int // how many levels of a history are decided at a time
}

// mostTogether is how large histories that are judged at a time may be, in bytes of
// their files. One alone may be larger.
const mostTogether = 64 << 20

func newQueue(c *checking, files int) *queue {
	return &queue{
		checking: c,
		slots:    make(chan struct{}, c.Workers),
		ahead:    make(chan struct{}, 16*c.Workers),
		room:     newRoom(mostTogether),
		each:     max(1, c.Workers/max(1, files)),
	}
}

// start begins with the histories, and hands them on in order.
func (q *queue) start(files []string) <-chan *judged {
	to := make(chan *judged, cap(q.ahead))
	go func() {
		defer close(to)
		for _, path := range files {
			j := &judged{path: path, lines: make(chan *verdictLine, len(q.levels))}
			q.ahead <- struct{}{}
			q.slots <- struct{}{}
			size := q.room.enter(recorded.Size(path))
			go func() {
				q.judge(j)
				q.room.leave(size)
				<-q.slots
			}()
			to <- j
		}
	}()
	return to
}

// judge judges one. What cannot be read is said and does not stop the others.
func (q *queue) judge(j *judged) {
	defer close(j.lines)
	f, err := q.load(j.path)
	decided := 0
	if err == nil {
		explained := false
		err = f.Judge(q.ctx, q.levels, q.judging(), func(v *recorded.Verdict) error {
			line := newLine(f, v)
			if v.Outcome == checker.Violated && !explained {
				explained = true
				if err := line.explain(q.ctx, f, v); err != nil && q.ctx.Err() == nil { // interrupted, it is violated all the same
					return err
				}
			}
			if v.Outcome == checker.Satisfied && q.Certificate != "" {
				if err := f.Certify(q.Certificate, v.Verdict.Order); err != nil {
					return err
				}
			}
			j.lines <- line
			decided++
			return nil
		})
	}
	switch {
	case err == nil:
	case q.ctx.Err() == nil:
		j.err = err
	default: // what is left was not decided
		f := &recorded.File{Path: j.path, Format: q.format}
		for _, v := range recorded.Interrupted(q.levels[decided:]) {
			j.lines <- newLine(f, v)
		}
	}
}

func (q *queue) load(path string) (*recorded.File, error) {
	if err := q.ctx.Err(); err != nil {
		return nil, err
	}
	return recorded.Load(q.ctx, path, q.format, q.VersionOrder || q.By != string(recorded.ByReads))
}

// judging are the options of one history.
func (q *queue) judging() recorded.Options {
	o := q.options()
	o.Workers = q.each
	return o
}
