//go:build unix

package mysql

import (
	"syscall"
	"testing"
)

// cpu is the process's user time in microseconds.
func cpu(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Sec)*1e6 + float64(u.Utime.Usec)
}

// What a statement costs, with driver and protocol, on a Memory.
func BenchmarkStatements(b *testing.B) {
	for _, bench := range []struct{ name, statement string }{
		{"select by key", "SELECT n, name FROM t WHERE id = 1"},
		{"update by key", "UPDATE t SET n = 3 - n WHERE id = 1"},
		{"upsert", "INSERT INTO t (id, n, name) VALUES (1, 1, 'one') ON DUPLICATE KEY UPDATE n = 3 - n"},
		{"join and group", "SELECT t.name, COUNT(*) FROM t JOIN child c ON c.t = t.id GROUP BY t.name ORDER BY t.name"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			c := connect(b, facts, false)
			start := cpu(b)
			for b.Loop() {
				rows, err := c.QueryContext(b.Context(), bench.statement)
				if err != nil {
					b.Fatal(err)
				}
				if err := rows.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((cpu(b)-start)/float64(b.N), "CPU-µs/op")
		})
	}
}

// What a program's database costs: engine, schema and seed.
func BenchmarkNew(b *testing.B) {
	start := cpu(b)
	for b.Loop() {
		connect(b, facts, false).Close()
	}
	b.ReportMetric((cpu(b)-start)/float64(b.N), "CPU-µs/op")
}
