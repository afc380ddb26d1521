//go:build unix

package engine

import "golang.org/x/sys/unix"

// processTime is the processor time of this process in nanoseconds.
func processTime() int64 {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return r.Utime.Nano() + r.Stime.Nano()
}
