package cluster

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Which workers there are. A worker says hello again and again; one that is silent for long
// counts as gone.

const (
	// beat is the time between two hellos of a worker.
	beat = 500 * time.Millisecond
	// lostAfter is how long a worker is silent before it counts as gone.
	lostAfter = 5 * time.Second
)

// presence knows the workers by what they say.
type presence struct {
	queue *queue
	log   func(format string, args ...any)
	quiet bool // nobody wants to know who comes and goes

	mu    sync.Mutex
	known map[string]*present
}

// present is a worker.
type present struct {
	hello
	heard   time.Time
	refused bool
}

// watchWorkers begins to listen to workers. Those that cannot work for this process are
// told so.
func watchWorkers(q *queue, log func(format string, args ...any)) (*presence, error) {
	p := &presence{queue: q, log: log, known: map[string]*present{}}
	_, err := q.Subscribe(hellos, func(m *nats.Msg) {
		var h hello
		if json.Unmarshal(m.Data, &h) == nil && h.Worker != "" {
			p.heard(h, time.Now())
		}
	})
	return p, err
}

// heard notes what a worker says.
func (p *presence) heard(h hello, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.known[h.Worker]
	if h.Leaves {
		if delete(p.known, h.Worker); w != nil && !w.refused {
			p.say("worker %s leaves, %s", h.Worker, p.number())
		}
		return
	}
	if w == nil {
		w = &present{}
		p.known[h.Worker] = w
		if h.Identity != p.queue.identity {
			w.refused = true
			why := h.Identity.differs(p.queue.identity)
			p.log("worker %s is refused: %s", h.Worker, why)
			data, _ := json.Marshal(answer{Refused: why})
			p.queue.Publish(answers+h.Worker, data)
		} else {
			defer p.say("worker %s joins, %s", h.Worker, p.number())
		}
	}
	w.hello, w.heard = h, now
}

// number says how many workers there are.
func (p *presence) number() string {
	n := 0
	for _, w := range p.known {
		if !w.refused {
			n++
		}
	}
	if n == 1 {
		return "1 worker now"
	}
	return fmt.Sprintf("%d workers now", n)
}

func (p *presence) say(format string, args ...any) {
	if !p.quiet {
		p.log(format, args...)
	}
}

// tasks are those of the job that workers are at.
func (p *presence) tasks(job string) map[string]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := map[string]bool{}
	for _, w := range p.known {
		if w.Job == job && w.Task != "" {
			list[w.Task] = true
		}
	}
	return list
}

// now counts the workers, and among them those that have no task. busy is what workers at an
// open task of the job have counted in it so far. A worker that has been silent for long is
// gone.
func (p *presence) now(job string, open func(id string) bool, now time.Time) (all, idle int, busy counts) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, w := range p.known {
		switch {
		case now.Sub(w.heard) > lostAfter:
			if delete(p.known, name); !w.refused {
				p.say("worker %s is silent, %s", name, p.number())
			}
		case w.refused:
		case w.Task == "":
			all++
			idle++
		default:
			all++
			if w.Job == job && open(w.Task) {
				busy.add(w.Counts)
			}
		}
	}
	return all, idle, busy
}
