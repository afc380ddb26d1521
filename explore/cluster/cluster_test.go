package cluster

import (
	"math/rand/v2"
	"os/exec"
	"testing"
	"time"

	"github.com/txmc/txmc/isolation"
)

// axiomatic are levels at which each engine has its turn.
var axiomatic = []isolation.Level{isolation.CC, isolation.SI, isolation.SER}

// The counts of a cluster are those of one process, at the clients of the benchmark.
func TestClients(t *testing.T) {
	t.Parallel()
	pattern, least, most := "(Cart|Twitter)Case1$", 2, 2
	if *allFlag {
		pattern, least, most = "Case", 1, 8
	}
	want := alone(t, pattern, request(axiomatic...))
	for workers := least; workers <= most; workers++ {
		c := open(t, &Options{Cluster: Embedded}, workers)
		same(t, exploreOn(t.Context(), t, c, pattern, request(axiomatic...), nil), want)
		c.Close()
	}
}

// Workers are killed and the server is restarted, and the counts stay the same.
func TestKills(t *testing.T) {
	t.Parallel()
	pattern := "ShoppingCartCase1|Counters"
	if *killsFlag > fewKills {
		pattern = "ShoppingCartCase(1|3)|Counters|TpccCase2"
	}
	survives(t, pattern, axiomatic...)
}

// survives explores programs again and again while workers are killed and the server is
// restarted.
func survives(t *testing.T, pattern string, levels ...isolation.Level) {
	t.Helper()
	want := alone(t, pattern, request(levels...))
	s := newServer(t)
	c := s.open()
	workers := []*exec.Cmd{s.startWorker(), s.startWorker()}
	r := rand.New(rand.NewPCG(1, 2))
	done := make(chan struct{})
	killed, restarted := 0, 0
	go func() {
		defer close(done)
		for killed < *killsFlag || restarted < *restartsFlag {
			time.Sleep(time.Duration(100+r.IntN(900)) * time.Millisecond)
			if t.Context().Err() != nil {
				return
			}
			if r.IntN(*killsFlag+*restartsFlag) < *restartsFlag && restarted < *restartsFlag {
				restarted++
				s.stop()
				s.start()
			} else if killed < *killsFlag {
				killed++
				i := r.IntN(len(workers))
				kill(workers[i])
				workers[i] = s.startWorker()
			}
		}
	}()
	runs := 0
	for over := false; !over; runs++ {
		select {
		case <-done:
			over = true
		default:
		}
		same(t, exploreOn(t.Context(), t, c, pattern, request(levels...), nil), want)
	}
	t.Logf("%d runs, %d workers killed, %d restarts of the server", runs, killed, restarted)
}
