package proxy

import (
	"slices"
	"time"

	"github.com/txmc/txmc/program/access"
)

// A DEFERRABLE transaction waits for a snapshot that is safe. pg_safe_snapshot_blocking_pids
// looks for it by its process, and finds an earlier transaction of the process where the
// server still remembers one (GetSafeSnapshotBlockingPids of predicate.c): then it names
// nobody. pg_stat_activity tells that the process waits, also for a moment after it has been
// woken: so it counts as waiting when it has waited for longer than that.

// wakes is how long a process that has been woken may seem to wait.
const wakes = 20 * time.Millisecond

// safety is who waits for a safe snapshot, and since when, while nothing else happens.
type safety struct {
	sent  []*access.Sent
	since map[string]time.Time
}

// lasts reports whether a process has waited for long enough, since others have been sent or
// answered anything.
func (s *safety) lasts(process string, sent []*access.Sent) bool {
	if !slices.Equal(s.sent, sent) {
		s.sent, s.since = slices.Clone(sent), map[string]time.Time{}
	}
	began, known := s.since[process]
	if !known {
		s.since[process] = time.Now()
	}
	return known && time.Since(began) > wakes
}
