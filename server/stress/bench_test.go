//go:build unix

package stress

import (
	"path/filepath"
	"syscall"
	"testing"
)

// processor is the time that this process has used, in microseconds: unlike that of a
// clock, it does not depend on what else the machine does.
func processor(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec)*1e6 + float64(u.Utime.Usec+u.Stime.Usec)
}

// The same clients without recording, with it, and with the certificate: transactions a second, and
// how long it takes to get the certificate in relation to the run.
func BenchmarkClients(b *testing.B) {
	for _, workload := range []string{"rw", "lists", "bank", "inserts", "predicates"} {
		for _, how := range []string{"unrecorded", "recorded", "certificate"} {
			b.Run(workload+"/"+how, func(b *testing.B) {
				o := options(shared(b), "repeatable read", workload)
				o.Sessions, o.Txns, o.Ops, o.Keys, o.Certificate = 8, 500, 8, 2000, how == "certificate"
				if workload == "predicates" {
					o.Keys = 60
				}
				var took, recovery float64
				var committed int64
				begin := processor(b)
				for b.Loop() {
					if err := o.Check(); err != nil {
						b.Fatal(err)
					}
					file := filepath.Join(b.TempDir(), "h")
					if how == "unrecorded" {
						file = ""
					}
					r, err := Run(b.Context(), o, file)
					if err != nil {
						b.Fatal(err)
					}
					took, recovery, committed = took+r.Took.Seconds(), recovery+r.Recovery.Seconds(), committed+r.Committed
				}
				b.ReportMetric((processor(b)-begin)/float64(committed), "client-µs/txn")
				b.ReportMetric(float64(committed)/took, "txns/s")
				b.ReportMetric(100*recovery/took, "%recovery")
			})
		}
	}
}
