package mock

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// BenchmarkTransactions measures transactions of four operations of ten sessions on a
// hundred keys, all open at the same time.
func BenchmarkTransactions(b *testing.B) {
	for _, l := range isolation.Levels() {
		b.Run(l.String(), func(b *testing.B) {
			s, err := NewKV(Options{Level: l})
			if err != nil {
				b.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			var list []*Session
			for i := range 10 {
				list = append(list, s.Session(fmt.Sprint(i)))
			}
			done := make([]int, len(list))
			for b.Loop() {
				for ended := false; !ended; {
					i := r.IntN(len(list))
					c := list[i]
					var err error
					switch {
					case !c.Open():
						err, done[i] = c.Begin(), 0
					case done[i] == 4:
						err, ended = c.Commit(), true
					case done[i]%2 == 0:
						_, err = c.Read(fmt.Sprint(r.IntN(100)))
						done[i]++
					default:
						err = c.Write(fmt.Sprint(r.IntN(100)), i)
						done[i]++
					}
					if err != nil {
						_ = c.Rollback()
					}
				}
			}
			n := s.Counts()
			b.ReportMetric(float64(n.Failed)/float64(n.Transactions), "failed/op")
			b.ReportMetric(float64(n.Stale)/float64(n.Reads), "stale/read")
		})
	}
}
