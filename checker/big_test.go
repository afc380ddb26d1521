package checker

import (
	"context"
	"github.com/txmc/txmc/isolation"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"testing"
	"time"
)

func TestBig(t *testing.T) {
	keys, _ := strconv.Atoi(os.Getenv("KEYS"))
	f := simulate(50, 20000, 20, keys, 0.5, isolation.SI, 1)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Log("form MB", m.HeapAlloc>>20)
	pf, _ := os.Create("/tmp/checker.prof")
	pprof.StartCPUProfile(pf)
	for _, l := range []isolation.Level{isolation.CC, isolation.SI} {
		t0 := time.Now()
		d, err := f.decide(context.Background(), l)
		runtime.ReadMemStats(&m)
		t.Log(l, d.order != nil, err, time.Since(t0), m.Sys>>20)
	}
	pprof.StopCPUProfile()
	b, _ := os.ReadFile("/proc/self/status")
	t.Log(string(b[200:900]))
}
