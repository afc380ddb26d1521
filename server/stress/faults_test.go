package stress

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

// Servers that break: connections that are cut, processes that are killed, and states that are set back.

// untilFault runs with faults until there were so many, and so many transactions have committed
// after the last.
func untilFault(t *testing.T, o *Options, faults int) (*Result, string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Txns = 1 << 20
	o.FaultEvery = 100 * time.Millisecond
	seen := 0
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	w := &counting{workloads: o.work, stop: cancel}
	o.work = w
	o.onFault = func() bool {
		if seen++; seen == faults {
			w.count()
		}
		return seen < faults
	}
	return recorded(t, ctx, o)
}

// counting stops a run after some transactions.
type counting struct {
	workloads
	mu   sync.Mutex
	left int
	stop func()
}

func (w *counting) count() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left = 200
}

func (w *counting) transaction(ctx context.Context, c *client) error {
	c.atEnd = append(c.atEnd, func(f history.Fate) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.left > 0 && f == history.Committed {
			if w.left--; w.left == 0 {
				w.stop()
			}
		}
	})
	return w.workloads.transaction(ctx, c)
}

// A server that is killed and one that stands still lose nothing that was acknowledged.
func TestFaults(t *testing.T) {
	t.Parallel()
	scratchtest.Need(t, scratch.Postgres)
	o := options("postgres:temp", "repeatable read", "rw")
	o.Faults = []string{faultKill, faultStop}
	r, file := untilFault(t, o, 2)
	if r.Faults[faultKill] == 0 || r.Faults[faultStop] == 0 {
		t.Errorf("%v", r)
	}
	wants(t, file, isolation.SI, false, "")
}

// MariaDB that is killed loses nothing either.
func TestMariaDBKilled(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	scratchtest.Need(t, scratch.MariaDB)
	o := options("mariadb:temp?innodb-snapshot-isolation=ON", "repeatable read", "rw")
	o.Faults = []string{faultKill}
	_, file := untilFault(t, o, 1)
	wants(t, file, isolation.SI, false, "")
}

// A server that comes back with older files has lost what sessions have written.
func TestRestore(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	scratchtest.Need(t, scratch.Postgres)
	o := options("postgres:temp", "repeatable read", "rw")
	o.Faults = []string{faultRestore}
	_, file := untilFault(t, o, 1)
	if v := decided(t, file, isolation.SI, false); v.Outcome != check.Violated {
		t.Errorf("%v", v.Outcome)
	}
}

// Connections that break in the middle of COMMIT leave transactions of unknown fate. Some of
// them have committed.
func TestCut(t *testing.T) {
	t.Parallel()
	dsn := shared(t)
	o := options(dsn, "repeatable read", "rw")
	o.Faults, o.Txns = []string{faultCut}, 2*cutEvery
	o.Keys = 4
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	r, file := recorded(t, t.Context(), o)
	if r.Unknown == 0 || int(r.Unknown) != r.Faults[faultCut] {
		t.Errorf("%v", r)
	}
	wants(t, file, isolation.SI, false, "")
}
