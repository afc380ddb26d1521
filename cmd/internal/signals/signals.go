// Package signals turns the signals that end a process into contexts.
package signals

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Signals turns interrupts into contexts: the first ends Soft, which asks for an end with
// the counts so far, the second ends Hard as well.
type Signals struct {
	Soft, Hard context.Context
	caught     chan os.Signal
	done       chan struct{}
}

// Catch begins to catch SIGINT, SIGTERM and SIGHUP, but for those that are ignored.
func Catch() *Signals {
	soft, stopSoft := context.WithCancel(context.Background())
	hard, stopHard := context.WithCancel(context.Background())
	s := &Signals{Soft: soft, Hard: hard, caught: make(chan os.Signal, 4), done: make(chan struct{})}
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) { // as nohup does
			signal.Notify(s.caught, sig)
		}
	}
	// A closed standard output is an error of the write, so that temporary files
	// are removed.
	signal.Ignore(syscall.SIGPIPE)
	go func() {
		defer stopSoft()
		defer stopHard()
		for _, stop := range []context.CancelFunc{stopSoft, stopHard} {
			select {
			case <-s.caught:
				stop()
			case <-s.done:
				return
			}
		}
		<-s.done
	}()
	return s
}

// Interrupted reports whether a signal was caught.
func (s *Signals) Interrupted() bool { return s.Soft.Err() != nil }

// Stop ends catching, and both contexts.
func (s *Signals) Stop() {
	signal.Stop(s.caught)
	close(s.done)
}
