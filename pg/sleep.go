package pg

import (
	"time"

	"github.com/txmc/txmc/pg/engine"
)

// Signals are Others that end statements and sessions of each other: pg_cancel_backend() and
// pg_terminate_backend().
type Signals interface {
	// Signal does so with the session of a process, and reports whether there is one.
	Signal(process uint32, terminate bool) bool
}

// As makes the backend known to others by the number of a process, and signals what it does to them. It is called
// before the backend is used.
func (b *Backend) As(process uint32, signals Signals) { b.process, b.signals = process, signals }

// sleeper is a backing that lets time pass in pg_sleep(), by a function.
type sleeper interface {
	sleeps(f func(*engine.Call, time.Duration), s Signals)
}

// sleeping is part of such a backing: engine.SleepHooks.
type sleeping struct {
	sleep   func(*engine.Call, time.Duration)
	signals Signals // nil: others cannot be signalled
}

func (s *sleeping) sleeps(f func(*engine.Call, time.Duration), signals Signals) {
	s.sleep, s.signals = f, signals
}

// Signal is the others'.
func (s *sleeping) Signal(_ *engine.Call, process uint32, terminate bool) bool {
	return s.signals != nil && s.signals.Signal(process, terminate)
}

// Sleep waits.
func (s *sleeping) Sleep(c *engine.Call, d time.Duration) { s.sleep(c, d) }
