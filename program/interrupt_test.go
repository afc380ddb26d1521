package program_test

import (
	"errors"
	"testing"

	"github.com/txmc/txmc/program"
)

// A behaviour that is given up while it is run again does not count as one that differs.
// What client code does with the errors that it gets then says nothing.
func TestInterruptedAgain(t *testing.T) {
	for at := range 40 { // the run that is interrupted, in the same call as another session's or not
		var c *program.Client
		runs := 0
		c = newClient(t, func(p *program.Program) {
			p.UseBackend()
			for _, name := range []string{"a", "b"} {
				p.Session(name, func(s *program.Session) {
					b := s.Backend()
					b.Interruptible(func() string { return "SELECT 1" }, func() {})
					if runs++; runs == at+2 {
						c.Interrupt()
					}
					b.Here()
					if b.Begin("t") == nil && b.Write("x", 1) == nil {
						_ = b.Commit()
					}
				})
			}
		})
		var errs []error
		for s := range 2 {
			_, err := c.Root(s)
			errs = append(errs, err)
		}
		err := errors.Join(errs...)
		if err == nil || c.Err() != nil {
			t.Errorf("interrupted in run %d: %v, %v", at+2, err, c.Err())
		}
	}
}
