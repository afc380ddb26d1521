//go:build unix

package stress

import (
	"path/filepath"
	"slices"
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

// BenchmarkOverhead measures what recording costs the same clients. It makes pairs of runs, one
// recorded and one not; by turns the one or the other is first. So what else the machine does
// meets both. The figures are of the ratio of their times for a transaction: the median of the
// pairs, and the quarters.
func BenchmarkOverhead(b *testing.B) {
	for _, workload := range []string{"rw", "lists", "bank", "skew", "inserts", "predicates"} {
		b.Run(workload, func(b *testing.B) {
			o := options(shared(b), "repeatable read", workload)
			o.Sessions, o.Txns, o.Ops, o.Keys = 8, 500, 8, 2000
			if workload == "predicates" {
				o.Keys = 60
			}
			if err := o.Check(); err != nil {
				b.Fatal(err)
			}
			each := func(file string) float64 {
				r, err := Run(b.Context(), o, file)
				if err != nil {
					b.Fatal(err)
				}
				return r.Took.Seconds() / float64(r.Committed)
			}
			var ratios []float64
			for b.Loop() {
				file := filepath.Join(b.TempDir(), "h")
				if len(ratios)%2 == 0 {
					recorded := each(file)
					ratios = append(ratios, recorded/each(""))
				} else {
					plain := each("")
					ratios = append(ratios, each(file)/plain)
				}
			}
			slices.Sort(ratios)
			quarter := func(i int) float64 { return 100 * (ratios[(len(ratios)-1)*i/4] - 1) }
			b.ReportMetric(quarter(1), "%lower-quarter")
			b.ReportMetric(quarter(2), "%overhead")
			b.ReportMetric(quarter(3), "%upper-quarter")
		})
	}
}
