package stress

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/isolation"
)

// cockroach speaks PostgreSQL's protocol as CockroachDB does. It lets one transaction run at a
// time, on a PostgreSQL behind it, and numbers them.
type cockroach struct {
	t      *testing.T
	behind string
	turn   sync.Mutex // of the transaction that runs
	number atomic.Int64
	order  func(n int64) int64 // what it says of the n-th transaction

	version     string // "" for CockroachDB's
	free        bool   // transactions do not wait for each other
	replication func(*pgproto3.Backend, net.Conn)
}

// start returns the address of the server.
func (s *cockroach) start() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	var clients sync.WaitGroup
	clients.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			clients.Go(func() { s.serve(conn) })
		}
	})
	s.t.Cleanup(func() {
		l.Close()
		clients.Wait()
	})
	return fmt.Sprintf("postgres://u@%s/postgres?sslmode=disable", l.Addr())
}

func (s *cockroach) serve(conn net.Conn) {
	defer conn.Close()
	b := pgproto3.NewBackend(conn, conn)
	m, err := b.ReceiveStartupMessage()
	if err != nil {
		return
	}
	if startup, ok := m.(*pgproto3.StartupMessage); ok && startup.Parameters["replication"] != "" {
		s.replication(b, conn)
		return
	}
	up, err := pgconn.Connect(s.t.Context(), s.behind)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer up.Close(s.t.Context())
	running := false
	defer func() {
		if running {
			s.turn.Unlock()
		}
	}()
	b.Send(&pgproto3.AuthenticationOk{})
	for status := up.TxStatus(); ; status = up.TxStatus() {
		if running && status == 'I' {
			running = false
			s.turn.Unlock()
		}
		b.Send(&pgproto3.ReadyForQuery{TxStatus: status})
		if b.Flush() != nil {
			return
		}
		q, err := b.Receive()
		query, ok := q.(*pgproto3.Query)
		if err != nil || !ok {
			return
		}
		if query.String == "BEGIN" && !s.free {
			s.turn.Lock()
			running = true
		}
		s.answer(b, up, query.String)
	}
}

// answer answers a query, but for ReadyForQuery.
func (s *cockroach) answer(b *pgproto3.Backend, up *pgconn.PgConn, query string) {
	switch query {
	case "SELECT version()":
		query = "SELECT '" + s.version + "'"
		if s.version == "" {
			query = "SELECT 'CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27)'"
		}
	case "SELECT cluster_logical_timestamp()":
		n := s.order(s.number.Add(1))
		query = fmt.Sprintf("SELECT %d.%010d", 1763800000000000000+n/3, n%3)
	}
	results, err := up.Exec(s.t.Context(), query).ReadAll()
	for _, r := range results {
		if r.Err != nil {
			continue
		}
		if r.FieldDescriptions != nil {
			b.Send(described(r.FieldDescriptions))
		}
		for _, row := range r.Rows {
			b.Send(&pgproto3.DataRow{Values: row})
		}
		b.Send(&pgproto3.CommandComplete{CommandTag: []byte(r.CommandTag.String())})
	}
	var failed *pgconn.PgError
	if errors.As(err, &failed) {
		b.Send(&pgproto3.ErrorResponse{Severity: "ERROR", Code: failed.Code, Message: failed.Message})
	} else if err != nil {
		s.t.Error(err)
	}
}

func described(columns []pgconn.FieldDescription) *pgproto3.RowDescription {
	d := &pgproto3.RowDescription{}
	for _, c := range columns {
		d.Fields = append(d.Fields, pgproto3.FieldDescription{Name: []byte(c.Name), DataTypeOID: c.DataTypeOID, DataTypeSize: c.DataTypeSize, TypeModifier: -1})
	}
	return d
}

// The order that the server tells is recorded, and decides. A server that tells the truth
// satisfies SER. A server that tells another order does not.
func TestSerial(t *testing.T) {
	t.Parallel()
	behind := shared(t)
	truth := func(n int64) int64 { return n }
	for _, test := range []struct {
		workload string
		order    func(n int64) int64
		outcome  check.Outcome
	}{
		{"rw", truth, check.Satisfied},
		{"bank", truth, check.Satisfied},
		{"lists", truth, check.Satisfied},
		{"wh", func(n int64) int64 { return 1000 - n }, check.Violated},
	} {
		t.Run(test.workload, func(t *testing.T) {
			s := &cockroach{t: t, behind: behind, order: test.order}
			o := options(s.start(), "serializable", test.workload)
			o.Serial, o.Order = true, "ser"
			r, file := recorded(t, t.Context(), checked(t, o))
			if r.Version != "CockroachDB v23.1.11" || r.Committed != 80 {
				t.Errorf("%v", r)
			}
			if v := decidedBy(t, file, judge.BySerial, isolation.SER, true); v.Outcome != test.outcome {
				t.Errorf("%v %s, want %v", v.Outcome, v.Why, test.outcome)
			}
		})
	}
}

// Connections that break in the middle of a COMMIT leave transactions of unknown fate, which
// have their place in the order all the same.
func TestSerialUnknown(t *testing.T) {
	t.Parallel()
	s := &cockroach{t: t, behind: shared(t), order: func(n int64) int64 { return n }}
	o := options(s.start(), "serializable", "rw")
	o.Serial, o.Order = true, "ser"
	o.Faults, o.Txns = []string{faultCut}, 2*cutEvery
	r, file := recorded(t, t.Context(), checked(t, o))
	if r.Unknown == 0 {
		t.Errorf("nothing is unknown: %v", r)
	}
	if v := decidedBy(t, file, judge.BySerial, isolation.SER, true); v.Outcome != check.Satisfied {
		t.Errorf("%v %s", v.Outcome, v.Why)
	}
}

// What is not CockroachDB tells no order, and CockroachDB has no log to read.
func TestSerialRefused(t *testing.T) {
	t.Parallel()
	dsn := shared(t)
	o := options(dsn, "serializable", "rw")
	o.Serial, o.Order = true, "ser"
	if _, err := Run(t.Context(), checked(t, o), ""); err == nil || !strings.Contains(err.Error(), "--serial is for CockroachDB, TiDB and YugabyteDB: PostgreSQL 1") {
		t.Errorf("%v", err)
	}
	s := &cockroach{t: t, behind: dsn, order: func(n int64) int64 { return n }}
	o = options(s.start(), "serializable", "rw")
	o.Certificate = true
	if _, err := Run(t.Context(), checked(t, o), ""); err == nil || !strings.Contains(err.Error(), "with --serial --iso=ser") {
		t.Errorf("%v", err)
	}
	o.Serial, o.Order = true, "ser"
	if err := o.Check(); err == nil {
		t.Error("both are no error")
	}
}

// checked are options that are right.
func checked(t *testing.T, o *Options) *Options {
	t.Helper()
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestHybrid(t *testing.T) {
	for text, want := range map[string][2]int64{
		"1763800000000000000.0000000001": {1763800000000000000, 1},
		"1763800000000000000.0000000010": {1763800000000000000, 10},
		"1763800000000000000.1":          {1763800000000000000, 1000000000},
		"1763800000000000000":            {1763800000000000000, 0},
	} {
		clock, number, err := hybrid(text)
		if err != nil || clock != want[0] || number != want[1] {
			t.Errorf("%s is %d and %d, %v", text, clock, number, err)
		}
	}
	for _, text := range []string{"", "x", "1.x", "1.00000000001", "99999999999999999999.0"} {
		if _, _, err := hybrid(text); err == nil {
			t.Errorf("%q is a timestamp", text)
		}
	}
}

// Who only reads comes after who writes at the same time; else the clock decides.
func TestOrder(t *testing.T) {
	o := &order{}
	for _, s := range []stamped{{"d", 2, 0, false}, {"b", 1, 5, false}, {"a", 1, 5, true}, {"c", 1, 6, true}} {
		o.note(s)
	}
	if got := strings.Join(o.fact().Serial, ""); got != "abcd" {
		t.Error(got)
	}
}
