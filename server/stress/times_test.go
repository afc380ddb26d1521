package stress

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/server/database"
	"github.com/txmc/txmc/server/proxy/packet"
)

// tidb speaks MySQL's protocol as TiDB does. The transactions run on a MariaDB behind it,
// with innodb_snapshot_isolation, each from a snapshot at its BEGIN; a clock numbers snapshots and
// commits.
type tidb struct {
	t      *testing.T
	behind *database.Database
	mu     sync.Mutex // of a BEGIN or COMMIT
	clock  int64
	lies   func(start, commit int64) (int64, int64) // may be nil
}

// start returns the address of the server.
func (s *tidb) start() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var clients sync.WaitGroup
	clients.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			clients.Go(func() { s.serve(ctx, conn) })
		}
	})
	s.t.Cleanup(func() {
		l.Close()
		cancel()
		clients.Wait()
	})
	return fmt.Sprintf("mysql://u@%s/txmc_test", l.Addr())
}

func (s *tidb) serve(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	up, err := s.behind.Connect(ctx, nil)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer up.Close()
	if _, err := conn.Write(packet.Greeting("8.0.11-TiDB-v7.5.1")); err != nil {
		return
	}
	if _, err := packet.Read(conn); err != nil {
		return
	}
	out := packet.Welcome()
	x := &tidbSession{tidb: s, up: up}
	for {
		if _, err := conn.Write(out); err != nil {
			return
		}
		in, err := packet.Read(conn)
		if err != nil || len(in) < 5 || in[4] == packet.Quit {
			return
		}
		if out, err = x.answer(ctx, string(packet.Payload(in)[1:])); err != nil {
			if ctx.Err() == nil {
				s.t.Error(err)
			}
			return
		}
	}
}

// tidbSession is a connection.
type tidbSession struct {
	*tidb
	up    database.Conn
	begun int64 // timestamp
	wrote bool
	info  string
}

// answer answers a query.
func (x *tidbSession) answer(ctx context.Context, query string) ([]byte, error) {
	word := strings.ToUpper(strings.Fields(query + " x")[0])
	switch {
	case query == "SELECT version()":
		return resultOf([][]string{{"8.0.11-TiDB-v7.5.1"}}), nil
	case query == "SELECT @@tidb_last_txn_info":
		return resultOf([][]string{{x.info}}), nil
	case word == "BEGIN" || word == "COMMIT":
		x.mu.Lock()
		defer x.mu.Unlock()
		x.clock++
	}
	switch word {
	case "BEGIN":
		query = "START TRANSACTION WITH CONSISTENT SNAPSHOT"
		x.begun, x.wrote = x.clock, false
	case "INSERT", "UPDATE", "DELETE":
		x.wrote = true
	}
	r, err := x.up.Do(ctx, query)
	var failed *database.Error
	switch {
	case errors.As(err, &failed):
		n, _ := strconv.Atoi(failed.Code)
		return packet.Make(1, append(binary.LittleEndian.AppendUint16([]byte{0xff}, uint16(n)), "#HY000"+failed.Message...)), nil
	case err != nil:
		return nil, err
	case word == "COMMIT":
		x.told()
	}
	if word != "SELECT" && word != "SHOW" {
		return packet.Make(1, []byte{0, byte(min(r.Affected, 250)), 0, 2, 0, 0, 0}), nil
	}
	var rows [][]string
	for _, row := range r.Rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, c.String)
		}
		rows = append(rows, cells)
	}
	return resultOf(rows), nil
}

// told notes the timestamps of the transaction that has committed.
func (x *tidbSession) told() {
	const epoch = 424768545227014144
	start, commit := x.begun, x.clock
	if x.lies != nil {
		start, commit = x.lies(start, commit)
	}
	end := int64(0)
	if x.wrote {
		end = epoch + commit
	}
	x.info = fmt.Sprintf(`{"txn_scope":"global","start_ts":%d,"commit_ts":%d,"txn_commit_mode":"async_commit","async_commit_fallback":false,"one_pc_fallback":false}`, epoch+start, end)
}

// resultOf is a result of texts.
func resultOf(rows [][]string) []byte {
	columns := 1
	if len(rows) > 0 {
		columns = len(rows[0])
	}
	number := byte(0)
	var out []byte
	put := func(payload []byte) {
		number++
		out = append(out, packet.Make(number, payload)...)
	}
	text := func(p []byte, s string) []byte {
		if len(s) > 250 {
			return append(binary.LittleEndian.AppendUint16(append(p, 0xfc), uint16(len(s))), s...)
		}
		return append(append(p, byte(len(s))), s...)
	}
	put([]byte{byte(columns)})
	for range columns {
		var d []byte
		for _, s := range []string{"def", "", "", "", "c", ""} {
			d = text(d, s)
		}
		put(append(d, 12, 45, 0, 0, 1, 0, 0, 253, 0, 0, 0, 0, 0))
	}
	end := []byte{0xfe, 0, 0, 2, 0}
	put(end)
	for _, row := range rows {
		var p []byte
		for _, cell := range row {
			p = text(p, cell)
		}
		put(p)
	}
	put(end)
	return out
}

// newTiDB has a MariaDB behind it.
func newTiDB(t *testing.T) *tidb {
	t.Helper()
	dsn := mariaDB(t)
	behind, err := database.Open(t.Context(), dsn, "")
	if err != nil {
		t.Fatal(err)
	}
	return &tidb{t: t, behind: behind}
}

// The timestamps that the server tells are recorded, and decide. A server that tells the
// truth satisfies SI. A server that tells other times does not.
func TestTimestamps(t *testing.T) {
	t.Parallel()
	s := newTiDB(t)
	for _, test := range []struct {
		name, workload string
		lies           func(start, commit int64) (int64, int64)
		outcome        check.Outcome
	}{
		{"truth", "rw", nil, check.Satisfied},
		{"truth", "bank", nil, check.Satisfied},
		{"truth", "lists", nil, check.Satisfied},
		{"truth", "skew", nil, check.Satisfied},
		{"reads later", "rw", func(start, commit int64) (int64, int64) { return commit - 1, commit }, check.Violated},
		{"all at once", "rw", func(start, commit int64) (int64, int64) { return 1, commit }, check.Violated},
	} {
		t.Run(test.name+" "+test.workload, func(t *testing.T) {
			s.lies = test.lies
			o := options(s.start(), "repeatable read", test.workload)
			o.Serial, o.Order = true, "si"
			r, file := recorded(t, t.Context(), checked(t, o))
			if r.Version != "TiDB v7.5.1" || r.Committed != 80 {
				t.Errorf("%v", r)
			}
			if v := decidedBy(t, file, judge.ByTimestamps, isolation.SI, true); v.Outcome != test.outcome {
				t.Errorf("%v %s, want %v", v.Outcome, v.Why, test.outcome)
			}
			text, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(text), `"start":4247685452270`) {
				t.Errorf("%.300s %v", text, err)
			}
		})
	}
}

// The timestamps are those of one level, and nobody tells them when a connection breaks.
func TestTimestampsRefused(t *testing.T) {
	t.Parallel()
	s := newTiDB(t)
	for _, test := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Order = "ser" }, "the timestamps of TiDB v7.5.1 are those of --iso=si"},
		{func(o *Options) { o.Faults = []string{faultCut} }, "does not go with --faults=cut"},
		{func(o *Options) { o.Serial, o.Certificate = false, true }, "with --serial --iso=si"},
	} {
		o := options(s.start(), "repeatable read", "rw")
		o.Serial, o.Order = true, "si"
		test.change(o)
		if _, err := Run(t.Context(), checked(t, o), ""); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
	c := &cockroach{t: t, behind: shared(t), order: func(n int64) int64 { return n }}
	o := options(c.start(), "serializable", "rw")
	o.Serial, o.Order = true, "si"
	if _, err := Run(t.Context(), checked(t, o), ""); err == nil || !strings.Contains(err.Error(), "are those of --iso=ser, not of si") {
		t.Error(err)
	}
}
