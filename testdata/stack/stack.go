// Package stack hands the same job to two workers.
//
// Jobs lie on a stack: one row for its size and one for each position. A worker
// reads the size, takes the job on top and writes the size less one. Two workers
// read the same size, take the same job, and write the same new size: one job is
// done twice. Both write the size, and so snapshot isolation forbids it; the weaker
// levels do not.
//
// The code is shaped as with database/sql: Begin, a deferred Rollback, Commit.
//
// Levels:
//
//	ExplorePop: breaks at rc, ra, cc, pc; holds at si, ser
package stack

import (
	"errors"
	"fmt"

	"github.com/txmc/txmc"
)

const size = "stack/size"

func position(n int) string { return fmt.Sprintf("stack/%d", n) }

var errEmpty = errors.New("no job left")

func push(tx *txmc.Tx, job string) {
	n, _ := tx.Read(size).(int)
	tx.Write(position(n+1), job)
	tx.Write(size, n+1)
}

func pop(s *txmc.Session) (job string, err error) {
	tx := s.Begin("pop")
	defer tx.Rollback()
	n := tx.Read(size).(int)
	if n == 0 {
		return "", errEmpty
	}
	job = tx.Read(position(n)).(string)
	tx.Write(size, n-1)
	return job, tx.Commit()
}

// ExplorePop: two jobs, two workers who each take one.
func ExplorePop(p *txmc.Program) {
	p.Setup(func(tx *txmc.Tx) error {
		push(tx, "send invoice")
		push(tx, "send reminder")
		return nil
	})
	worker := func(s *txmc.Session) {
		if job, err := pop(s); err == nil {
			s.Observe("job", job)
		}
	}
	p.Session("worker1", worker)
	p.Session("worker2", worker)

	p.Invariant("a job is done once", func(o *txmc.Outcome) error {
		done := map[any]string{}
		for _, worker := range o.Sessions {
			for _, job := range worker.Observed("job") {
				if other, twice := done[job]; twice {
					return txmc.Assertf(false, "%s and %s both did %q", other, worker.Name, job)
				}
				done[job] = worker.Name
			}
		}
		return nil
	})
}
