package requests

import (
	"errors"
	"net"
	"sync"
)

// aside is a copy of the database that sessions begin with, for what the application sends in the background.
type aside struct {
	mu    sync.Mutex
	dial  func() (net.Conn, error)
	over  chan struct{} // to be closed
	ended chan struct{} // is closed when the copy is gone
}

// dialAside opens a connection to the copy, which is made at the first call.
func (w *World) dialAside() (net.Conn, error) {
	a := &w.aside
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dial == nil {
		a.over, a.ended = make(chan struct{}), make(chan struct{})
		begun := make(chan error, 1)
		over, ended := a.over, a.ended
		go func() {
			defer close(ended)
			made, err := w.kept.Use(func(dial func() (net.Conn, error)) error {
				a.dial = dial
				begun <- nil
				<-over
				return nil
			})
			if err == nil && !made {
				err = errors.New("there is no copy of the database")
			}
			begun <- err
		}()
		if err := <-begun; err != nil {
			return nil, err
		}
	}
	return a.dial()
}

// close ends the copy.
func (a *aside) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dial != nil {
		close(a.over)
		<-a.ended
		a.dial = nil
	}
}
