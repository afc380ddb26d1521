package cluster

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// BenchmarkEfficiency measures the efficiency of two workers beside one process, as
// docs/cluster.md tells it. Of the time, it is the time of one process by twice that of two
// workers. Of the processor time, it is that of one process by that of the workers, the
// coordinator and the server. 1 is the best there can be. Messages and bytes are by million
// histories.
func BenchmarkEfficiency(b *testing.B) {
	q := request(isolation.CC)
	q.Programs = []string{"ExploreLarge"}
	for b.Loop() {
		before, began := processorTime(b), time.Now()
		one := &counted{}
		q.Workers = 1
		if err := (&load.Harness{Binary: os.Args[0], Dir: "."}).RunWith(b.Context(), nil, harnessEnvironment(b, q), nil, os.Stderr, one.add); err != nil {
			b.Fatal(err)
		}
		alone, elapsed := processorTime(b)-before, time.Since(began)

		before, began = processorTime(b), time.Now()
		c, err := Open(b.Context(), &Options{Cluster: Embedded}, 2, os.Stderr, b.Logf)
		if err != nil {
			b.Fatal(err)
		}
		c.Verbose = true
		two, first := &counted{}, [2]int64{}
		var exit *exec.ExitError
		if err := c.Run(b.Context(), nil, &load.Harness{Binary: os.Args[0], Dir: "."}, q, os.Stderr, func(line []byte) error {
			if first[0] == 0 { // the binary is in the store
				first[0], first[1] = c.Traffic()
			}
			return two.add(line)
		}); err != nil && !errors.As(err, &exit) {
			b.Fatal(err)
		}
		messages, bytes := c.Traffic()
		c.Close()
		together, both := processorTime(b)-before, time.Since(began)
		if one.histories.Load() != two.histories.Load() || one.histories.Load() == 0 {
			b.Fatalf("%d histories, and %d by two workers", one.histories.Load(), two.histories.Load())
		}
		million := float64(one.histories.Load()) / 1e6
		b.ReportMetric(elapsed.Seconds()/(2*both.Seconds()), "efficiency")
		b.ReportMetric(alone.Seconds()/together.Seconds(), "efficiency-processor")
		b.ReportMetric(float64(messages-first[0])/million, "messages/Mhistories")
		b.ReportMetric(float64(bytes-first[1])/million, "B/Mhistories")
	}
}

// counted takes the number of histories from the lines of a run.
type counted struct{ histories atomic.Int64 }

func (c *counted) add(line []byte) error {
	if report.Type(line) != report.TypeResult {
		return nil
	}
	var r report.Result
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	c.histories.Add(r.Histories)
	return nil
}

func harnessEnvironment(b *testing.B, q harness.Request) []string {
	b.Helper()
	config, err := json.Marshal(q)
	if err != nil {
		b.Fatal(err)
	}
	return []string{harness.Variable + "=" + string(config)}
}

// processorTime is that of this process and of those that it has waited for.
func processorTime(b *testing.B) (sum time.Duration) {
	b.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}
