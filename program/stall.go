package program

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"time"
)

func (c *Client) busy(r *run) {
	c.since.Store(time.Now().UnixNano())
	c.running.Store(r)
}

func (c *Client) idle() { c.running.Store(nil) }

// Stalled returns an error when client code has run for longer than
// Options.Patience without returning to the API: it blocks on a channel or a
// lock, sleeps, or loops. Nothing can end such a goroutine; the exploration has
// to be given up. Safe to call while the client runs.
func (c *Client) Stalled() error {
	r := c.running.Load()
	if r == nil {
		return nil
	}
	spent := time.Since(time.Unix(0, c.since.Load()))
	if spent < c.opts.Patience || c.running.Load() != r {
		return nil
	}
	err := &Error{Kind: Stalled, Program: c.Name, Session: r.name(), Message: fmt.Sprintf(
		"client code has not returned for %v: does it block on a channel or a lock, sleep, or loop without an operation? "+
			"Sessions run one at a time and must not wait for each other", c.opts.Patience)}
	err.Stack, err.At = c.stuckAt(r)
	return err
}

// Busy describes the client code that runs now, "" when none does.
func (c *Client) Busy() string {
	r := c.running.Load()
	if r == nil {
		return ""
	}
	_, at := c.stuckAt(r)
	return fmt.Sprintf("client code of session %q at %s", r.name(), place(at))
}

// stuckAt finds the user's frames in the stack of the goroutine that runs r.
func (c *Client) stuckAt(r *run) ([]string, Location) {
	var id uint64
	c.coroutines.Range(func(k, v any) bool {
		if v.(*run) == r {
			id = k.(uint64)
		}
		return true
	})
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	_, own, found := bytes.Cut(buf, fmt.Appendf(nil, "goroutine %d ", id))
	if !found {
		return nil, Location{}
	}
	own, _, _ = bytes.Cut(own, []byte("\n\n"))
	lines := strings.Split(string(own), "\n")
	var stack []string
	var top Location
	for i := 1; i+1 < len(lines); i += 2 {
		function, _, _ := strings.Cut(lines[i], "(0x")
		if j := strings.LastIndexByte(function, '('); j > 0 && strings.HasSuffix(function, ")") {
			function = function[:j]
		}
		if strings.HasPrefix(function, "iter.") {
			break
		}
		if ours(function) || strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "created by") {
			continue
		}
		pos, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +0x")
		file, line, ok := cutLast(pos, ':')
		if !ok {
			continue
		}
		loc := Location{File: file, Func: function}
		fmt.Sscan(line, &loc.Line)
		if top.File == "" && !strings.HasPrefix(file, runtime.GOROOT()+"/") {
			top = loc
		}
		stack = append(stack, fmt.Sprintf("%s (%s)", function, loc))
	}
	return stack, top
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// exitGoroutine ends a goroutine that is not ours to run on.
func exitGoroutine() { runtime.Goexit() }
