//go:build unix

package model_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/program"
)

// cpu is the process's user time in microseconds.
func cpu(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Sec)*1e6 + float64(u.Utime.Usec)
}

// What an exploration on InnoDB costs: clients that each read a row, update it and
// insert another one.
func BenchmarkExplore(b *testing.B) {
	for _, clients := range []int{2, 3} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			p := &mariadb.Script{Schema: []string{pairs}, Rows: []string{pairs12}, Tables: []string{"t"}}
			for i := range clients {
				p.Sessions = append(p.Sessions, []string{mariadb.Begin, "SELECT b FROM t WHERE a = 2", "UPDATE t SET b = b + 1 WHERE a = 2",
					fmt.Sprintf("INSERT INTO t VALUES (%d, 5)", 10+i), mariadb.Commit})
			}
			var st dpor.Stats
			start := cpu(b)
			for b.Loop() {
				c, err := program.NewClient(b.Name(), func(q *program.Program) { script(q, p) }, program.Options{Patience: time.Minute, Database: true, Level: isolation.InnoRR.String()})
				if err != nil {
					b.Fatal(err)
				}
				x := dpor.Explore(b.Context(), c, dpor.Options{Level: isolation.InnoRR, All: true, Workers: 1})
				for _, err := range x.Histories() {
					if err != nil {
						b.Fatal(err)
					}
				}
				st = x.Stats()
				c.Park()
			}
			b.ReportMetric((cpu(b)-start)/float64(b.N)/1000, "CPU-ms/op")
			b.ReportMetric(float64(st.Explored), "states")
			b.ReportMetric(float64(st.Histories), "outcomes")
		})
	}
}
