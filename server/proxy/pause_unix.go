//go:build unix

package proxy

import (
	"syscall"
	"time"
)

// Pause stops the process of a connection.
func (s *Postgres) Pause(l Link) bool {
	return syscall.Kill(int(l.(*link).pid), syscall.SIGSTOP) == nil
}

// GoOn lets the process of a connection go on.
func (s *Postgres) GoOn(l Link) { syscall.Kill(int(l.(*link).pid), syscall.SIGCONT) }

// wait waits. The runtime's timers are no finer than a millisecond.
func wait(d time.Duration) {
	for left := syscall.NsecToTimespec(int64(d)); left.Nano() > 0; {
		now := left
		if syscall.Nanosleep(&now, &left) != syscall.EINTR { // which signals of the runtime bring
			return
		}
	}
}
