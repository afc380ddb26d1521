package program

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/txmc/txmc/program/behaviour"
)

// busy notes that client code of r runs from now on.
func (c *Client) busy(r *run) {
	c.running.Store(r)
	r.goesOn()
	c.since.Store(max(1, int64(time.Since(c.epoch))))
}

func (c *Client) idle() {
	c.since.Store(0)
	c.running.Store(nil)
}

// Stalled returns an error when client code has run for longer than
// Options.Patience without returning to the API: it blocks on a channel or a
// lock, sleeps, or loops. Nothing can end such a goroutine; the exploration has
// to be given up. When the client did something else wrong before, the error is
// that one. Stalled never waits for client code.
func (c *Client) Stalled() error {
	since, r := c.since.Load(), c.running.Load()
	if since == 0 || r == nil || time.Since(c.epoch)-time.Duration(since) < c.opts.Patience {
		return nil
	}
	if c.Err() == nil {
		err := c.stalledBy(r)
		err.Stack, err.At = c.stuckAt(r)
		if c.since.Load() != since {
			return nil // it went on meanwhile
		}
		c.report(err)
		r.giveUp()
	}
	return c.Err()
}

// stalledBy says what takes so long.
func (c *Client) stalledBy(r *run) *behaviour.Error {
	err := &behaviour.Error{Kind: behaviour.Stalled, Program: c.Name, Session: r.name(), Limit: "patience"}
	if i := r.interrupt.Load(); i != nil {
		if text := i.statement(); text != "" {
			err.Message = fmt.Sprintf("the statement %q has not returned for %v and is cancelled, as it may loop without end", text, c.opts.Patience)
			return err
		}
	}
	err.Message = fmt.Sprintf("client code has not returned for %v: does it block on a channel or a lock, sleep, or loop without an operation? "+
		"Sessions run one at a time and must not wait for each other", c.opts.Patience)
	return err
}

// interrupt is how to end what a database evaluates for a run.
type interrupt struct {
	statement func() string // what it evaluates; "" for nothing
	end       func()
}

// errGivenUp ends a run that was interrupted.
var errGivenUp = errors.New("the run has been given up")

// giveUp ends a statement that a database evaluates for the run. What client code
// does then is not recorded.
func (r *run) giveUp() {
	if i := r.interrupt.Load(); i != nil {
		r.givenUp.Store(true)
		i.end()
	}
}

// Interrupt gives up the run that is under way, if a database evaluates a statement
// for it: the exploration that has wanted it is over.
func (c *Client) Interrupt() {
	if r := c.running.Load(); r != nil {
		r.giveUp()
	}
}

// Busy describes the client code that runs now, "" when none does.
func (c *Client) Busy() string {
	r := c.running.Load()
	if r == nil {
		return ""
	}
	who := "client code"
	if name := r.name(); name != "" {
		who = fmt.Sprintf("client code of session %q", name)
	}
	if _, at := c.stuckAt(r); at.File != "" {
		who += " at " + at.String()
	}
	return who
}

// stuckAt finds the frames that are not of this module in the stack of the goroutine
// that runs r. top is the innermost frame of the application. Where there is none, it
// is the innermost frame of a module that the application requires.
func (c *Client) stuckAt(r *run) (stack []string, top behaviour.Location) {
	var below behaviour.Location
	for at := range dumped(r.root) {
		at = looping(at)
		at = c.locs.Locate(at.File, at.Line, at.Func)
		switch {
		case c.locs.Library(at.File):
		case !behaviour.Required(at.File) && top.File == "":
			top = at
		case below.File == "":
			below = at
		}
		stack = append(stack, fmt.Sprintf("%s (%s)", at.Func, at))
	}
	if top.File == "" {
		return stack, below
	}
	if i := r.interrupt.Load(); i != nil && i.statement() != "" { // above is the database
		first := fmt.Sprintf("%s (%s)", top.Func, top)
		stack = stack[slices.Index(stack, first):]
	}
	return stack, top
}

// applicationAt finds the innermost frame of the application in the stack of the
// goroutine that runs r, while that waits: see locations.application.
func (c *Client) applicationAt(r *run) behaviour.Loc {
	for at := range c.applicationFrames(r) {
		return c.locs.Position(at)
	}
	return 0
}

// applicationFrames yields the application's frames in the stack of the goroutine
// that runs r, innermost first.
func (c *Client) applicationFrames(r *run) iter.Seq[behaviour.Location] {
	return func(yield func(behaviour.Location) bool) {
		for at := range dumped(r.root) {
			if c.locs.OfApplication(at) && !yield(at) {
				return
			}
		}
	}
}

// dumped yields the frames that are not ours of the goroutine of root, innermost
// first, from any goroutine.
func dumped(root *run) iter.Seq[behaviour.Location] {
	for own := range strings.SplitSeq(stacks(true), "\n\n") {
		if root.isIn(own) {
			_, own, _ = strings.Cut(own, "\n") // its number and what it waits for
			return dumpedFrames(own)
		}
	}
	return dumpedFrames("")
}

// dumpedFrames yields the frames that are not ours of a goroutine's stack as a crash
// prints it, innermost first.
func dumpedFrames(stack string) iter.Seq[behaviour.Location] {
	return func(yield func(behaviour.Location) bool) {
		var function string
		for line := range strings.Lines(stack) {
			if strings.HasPrefix(line, "created by ") { // by whom is no frame
				return
			}
			if !strings.HasPrefix(line, "\t") {
				function = frameFunction(line)
				continue
			}
			if strings.HasPrefix(function, "iter.") {
				return
			}
			at := behaviour.Location{Func: function}
			pos, _, _ := strings.Cut(strings.TrimSpace(line), " +0x")
			i := strings.LastIndexByte(pos, ':')
			if i < 0 || pos[:i] == behaviour.Autogenerated || behaviour.Ours(function) || behaviour.IsRuntime(function) {
				continue
			}
			at.File = pos[:i]
			fmt.Sscan(pos[i+1:], &at.Line)
			if !yield(at) {
				return
			}
		}
	}
}

// stacks is what a crash would print of this goroutine, or of all, as far as 64 MB
// hold it.
func stacks(all bool) string {
	for size := 1 << 16; ; size *= 4 {
		buf := make([]byte, size)
		n := runtime.Stack(buf, all)
		if n < size || size >= 1<<26 {
			return string(buf[:n])
		}
	}
}

// frameFunction is the function in a line such as "bank.(*T).pay(0x1, ...)".
func frameFunction(line string) string {
	line = strings.TrimSpace(line)
	if !strings.HasSuffix(line, ")") {
		return line
	}
	depth := 0
	for i := len(line) - 1; i >= 0; i-- {
		switch line[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return line[:i]
			}
		}
	}
	return line
}
