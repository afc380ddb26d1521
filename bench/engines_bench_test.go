package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
)

// BenchmarkEngines explores the clients and the programs of single accesses at SI
// and SER with both engines, in one core and with all behaviours recorded. It
// leaves out what the engine swap needs long for.
func BenchmarkEngines(b *testing.B) {
	for _, p := range append(benchClients(b), accesses()...) {
		for _, a := range engineAlgorithms() {
			if a.Engine == dpor.Auto || a.Engine == "" && (p.Name == "fai 5 2" || p.Name == "fai 4 3") {
				continue
			}
			b.Run(fmt.Sprintf("%s/%s/%s", p.App.Name, p.Name, a.Name), func(b *testing.B) {
				c, err := program.NewClient(b.Name(), p.Explore, program.Options{})
				if err != nil {
					b.Fatal(err)
				}
				s := run(b, c, a.options())
				var spent time.Duration
				for b.Loop() {
					spent += run(b, c, a.options()).Elapsed
				}
				b.ReportMetric(float64(s.Histories), "histories")
				b.ReportMetric(float64(b.N)*float64(s.Histories)/spent.Seconds(), "histories/s")
				b.ReportMetric(float64(s.Explored)/float64(s.Histories), "calls/history")
				b.ReportMetric(float64(s.Blocked)/float64(s.Explored), "dead-ends/call")
			})
		}
	}
}
