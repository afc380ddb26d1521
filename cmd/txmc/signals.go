package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// signals turns interrupts into contexts: the first asks for an end with the
// counts so far, the second ends at once.
type signals struct {
	soft, hard context.Context
	caught     chan os.Signal
	done       chan struct{}
}

func catchSignals() *signals {
	soft, stopSoft := context.WithCancel(context.Background())
	hard, stopHard := context.WithCancel(context.Background())
	s := &signals{soft: soft, hard: hard, caught: make(chan os.Signal, 4), done: make(chan struct{})}
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

func (s *signals) interrupted() bool { return s.soft.Err() != nil }

func (s *signals) stop() {
	signal.Stop(s.caught)
	close(s.done)
}
