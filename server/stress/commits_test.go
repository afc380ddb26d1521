package stress

import (
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
)

// yugabyte speaks PostgreSQL's protocol as YugabyteDB does. The protocol of queries is like that
// of cockroach. In the protocol of replication a slot of PostgreSQL's own stands behind it. The
// server's transactions run one at a time, unless together.
type yugabyte struct {
	cockroach
	together bool
	forgets  string // a change that the stream leaves out; may be ""
}

func (s *yugabyte) start() string {
	s.version = "PostgreSQL 15.2-YB-2025.1.0.0-b168 on x86_64-pc-linux-gnu"
	s.replication = s.replicate
	s.free = s.together
	return s.cockroach.start()
}

// replicate relays a connection for replication.
func (s *yugabyte) replicate(b *pgproto3.Backend, conn net.Conn) {
	config, err := pgconn.ParseConfig(s.behind)
	if err != nil {
		s.t.Error(err)
		return
	}
	config.RuntimeParams["replication"] = "database"
	up, err := pgconn.ConnectConfig(s.t.Context(), config)
	if err != nil {
		s.t.Error(err)
		return
	}
	raw, err := up.Hijack()
	if err != nil {
		s.t.Error(err)
		return
	}
	defer raw.Conn.Close()
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if b.Flush() != nil {
		return
	}
	var down sync.WaitGroup
	down.Go(func() { s.down(conn, raw.Conn) })
	defer down.Wait()
	defer raw.Conn.Close()
	for {
		m, err := b.Receive()
		if err != nil {
			return
		}
		if q, ok := m.(*pgproto3.Query); ok && strings.HasPrefix(q.String, "CREATE_REPLICATION_SLOT") {
			words, ok := strings.CutSuffix(q.String, " HYBRID_TIME")
			if !ok {
				s.t.Errorf("%s: no hybrid times", q.String)
			}
			m = &pgproto3.Query{String: strings.Replace(words, "NOEXPORT_SNAPSHOT", "(SNAPSHOT 'nothing')", 1)}
		}
		data, err := m.Encode(nil)
		if err != nil {
			s.t.Error(err)
			return
		}
		if _, err := raw.Conn.Write(data); err != nil {
			return
		}
	}
}

// down relays what the server says, but for what it forgets.
func (s *yugabyte) down(conn io.Writer, up io.Reader) {
	f := pgproto3.NewFrontend(up, io.Discard)
	for {
		m, err := f.Receive()
		if err != nil {
			return
		}
		if d, ok := m.(*pgproto3.CopyData); ok && s.forgets != "" && strings.Contains(string(d.Data), s.forgets) {
			continue
		}
		data, err := m.Encode(nil)
		if err != nil {
			s.t.Error(err)
			return
		}
		if _, err := conn.Write(data); err != nil {
			return
		}
	}
}

// The order of commits in the stream decides; transactions that only read find their place in it.
func TestCommits(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	dsn := shared(t)
	for _, test := range []struct {
		workload, begin string
		together        bool
		forgets         string
		outcome         check.Outcome
	}{
		{"rw", "serializable", false, "", check.Satisfied},
		{"rh", "serializable", false, "", check.Satisfied},
		{"bank", "serializable", false, "", check.Satisfied},
		{"lists", "serializable", false, "", check.Satisfied},
		{"inserts", "serializable", false, "", check.Satisfied},
		{"skew", "repeatable read", true, "", check.Violated},
		{"wh", "serializable", false, "txmc_stress_registers: UPDATE: k[integer]:3 ", check.Satisfied}, // each transaction writes others too
		{"skew", "serializable", false, "txmc_stress_registers: UPDATE: k[integer]:0 ", check.Violated},
	} {
		t.Run(test.workload+" "+test.begin+test.forgets, func(t *testing.T) {
			decided := func() *judge.Verdict {
				s := &yugabyte{cockroach: cockroach{t: t, behind: dsn}, together: test.together, forgets: test.forgets}
				o := options(s.start(), test.begin, test.workload)
				o.Serial, o.Order = true, "ser"
				if test.workload == "skew" {
					o.Keys = 2
				}
				r, file := recorded(t, t.Context(), checked(t, o))
				if r.Version != "YugabyteDB 2025.1.0.0-b168" || r.Committed != 80 {
					t.Errorf("%v", r)
				}
				return decidedBy(t, file, judge.BySerial, isolation.SER, true)
			}
			v := decided()
			for again := 0; test.together && v.Outcome == check.Satisfied && again < 20; again++ {
				v = decided() // a busy machine may run all transactions one after another
			}
			if v.Outcome != test.outcome {
				t.Errorf("%v %s, want %v", v.Outcome, v.Why, test.outcome)
			}
		})
	}
	nothingLeft(t, dsn)
}

// The order is one of writes that are told.
func TestCommitsRefused(t *testing.T) {
	t.Parallel()
	s := &yugabyte{cockroach: cockroach{t: t, behind: shared(t)}}
	o := options(s.start(), "serializable", "predicates")
	o.Serial, o.Order = true, "ser"
	if _, err := Run(t.Context(), checked(t, o), filepath.Join(t.TempDir(), "h")); err == nil || !strings.Contains(err.Error(), "which is not known of predicates") {
		t.Error(err)
	}
	o.Order = "si"
	if _, err := Run(t.Context(), checked(t, o), ""); err == nil || !strings.Contains(err.Error(), "those of --iso=ser, not of si") {
		t.Error(err)
	}
}
