package program

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/repeat"
)

// What client code prints says nothing to those who explore: a session runs once for each of
// its behaviours. With the overlay of package repeat, what it writes to the standard output
// and the standard error is kept with the behaviours instead, for the report of a history.
// It decides nothing: a run that prints something else does the same.

const (
	// mostPrinted is how many bytes are kept between two nodes.
	mostPrinted = 8 << 10
	// mostKept is how many bytes are kept of all runs of a client.
	mostKept = 64 << 20
	// lastPrinted is how many bytes are kept to be told with an error.
	lastPrinted = 1 << 10
	// mostLast is how many lines are told with an error.
	mostLast = 5
)

// printed is what a run has printed since its last node, and at the end of all.
type printed struct {
	mu     sync.Mutex
	since  []behaviour.Print
	bytes  int // of since
	left   int // bytes that are not kept
	events int // where the session was when it printed last
	last   []byte
}

// prints is called on a goroutine of the run that is about to print. It reports whether the
// text is kept here alone.
func (r *run) prints(b []byte) (alone bool) {
	repeat.Apart(func() { alone = r.present().keepsPrinted(b) })
	return alone
}

// keepsPrinted keeps what the run's code prints.
func (r *run) keepsPrinted(b []byte) bool {
	own := len(b) > 0 && r.own()
	p := &r.output
	p.mu.Lock()
	defer p.mu.Unlock()
	if own {
		p.events = len(r.events)
	}
	p.add(b)
	return !r.client.opts.Prints
}

// add adds a text.
func (p *printed) add(b []byte) {
	p.last = append(p.last, b...)
	if n := len(p.last); n > 2*lastPrinted {
		p.last = slices.Delete(p.last, 0, n-lastPrinted)
	}
	if p.bytes+len(b) > mostPrinted {
		p.left += len(b)
		return
	}
	p.bytes += len(b)
	if n := len(p.since); n > 0 && p.since[n-1].Before == p.events {
		p.since[n-1].Text += string(b)
	} else if len(b) > 0 {
		p.since = append(p.since, behaviour.Print{Before: p.events, Text: string(b)})
	}
}

// takePrinted is what was printed since the last node.
func (r *run) takePrinted() []behaviour.Print {
	p := &r.output
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.since
	if p.left > 0 {
		list = append(list, behaviour.Print{Before: p.events, Text: fmt.Sprintf("… and %d bytes more\n", p.left)})
	}
	p.since, p.bytes, p.left, p.events = nil, 0, 0, 0
	return list
}

// keepPrinted puts what was printed into a node, if there is room.
func (c *Client) keepPrinted(n *behaviour.Node, list []behaviour.Print) {
	bytes := int64(0)
	for _, one := range list {
		bytes += int64(len(one.Text))
	}
	if bytes > 0 && c.printedBytes.Add(bytes) <= mostKept {
		n.Printed = list
	}
}

// lastLines are the last lines that the run has printed, at most so many.
func (r *run) lastLines(most int) []string {
	p := &r.output
	p.mu.Lock()
	defer p.mu.Unlock()
	text := string(bytes.TrimRight(p.last, "\n"))
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-most):]
}
