package stress

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/database"
)

// options are those of a short run.
func options(dsn, level, workload string) *Options {
	return &Options{DSN: dsn, YesScratch: "postgres", Begin: level, Workload: workload, Sessions: 4, Txns: 20, Ops: 5, Keys: 12,
		Distribution: "uniform", Seed: 1, FaultEvery: time.Second}
}

// recorded runs a workload and returns the file.
func recorded(t *testing.T, ctx context.Context, o *Options) (*Result, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "history.jsonl")
	r, err := Run(ctx, o, file)
	if err != nil {
		t.Fatal(err)
	}
	return r, file
}

// decided decides a history.
func decided(t *testing.T, file string, level isolation.Level, facts bool) *judge.Verdict {
	t.Helper()
	return decidedBy(t, file, judge.ByReads, level, facts)
}

func decidedBy(t *testing.T, file string, by judge.By, level isolation.Level, facts bool) (out *judge.Verdict) {
	t.Helper()
	f, err := judge.Load(t.Context(), file, nil, facts)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Judge(t.Context(), []isolation.Level{level}, judge.Options{By: by}, func(v *judge.Verdict) error {
		out = v
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func wants(t *testing.T, file string, level isolation.Level, facts bool, anomaly string) {
	t.Helper()
	v := decided(t, file, level, facts)
	if want := map[bool]check.Outcome{true: check.Satisfied, false: check.Violated}[anomaly == ""]; v.Outcome != want || v.Anomaly != anomaly {
		t.Errorf("at %v, with facts %v: %v %s %s, want %v %s", level, facts, v.Outcome, v.Anomaly, v.Why, want, anomaly)
	}
}

// PostgreSQL keeps what it promises, by the clients' view and by the order of its log.
func TestPostgresKeepsItsPromise(t *testing.T) {
	t.Parallel()
	dsn := shared(t)
	for i, workload := range []string{"rh", "rw", "lists", "bank", "skew", "predicates", "inserts"} {
		for begin, level := range map[string]isolation.Level{"serializable": isolation.SER, "repeatable read": isolation.SI} {
			if !deadlinetest.Full() && (i%2 == 0) != (level == isolation.SER) {
				continue // each workload at one of the levels
			}
			t.Run(workload+" "+begin, func(t *testing.T) {
				o := options(dsn, begin, workload)
				o.Certificate = true
				if err := o.Check(); err != nil {
					t.Fatal(err)
				}
				r, file := recorded(t, t.Context(), o)
				if r.Committed < int64(o.Sessions*o.Txns) || r.Unknown > 0 {
					t.Errorf("%v", r)
				}
				wants(t, file, level, false, "")
				wants(t, file, level, true, "")
			})
		}
	}
	nothingLeft(t, dsn)
}

// nothingLeft looks for what runs have left on the server.
func nothingLeft(t *testing.T, dsn string) {
	t.Helper()
	c := connected(t, dsn)
	r, err := c.Do(t.Context(), "SELECT relname FROM pg_class WHERE relname LIKE 'txmc%' UNION ALL SELECT slot_name FROM pg_replication_slots WHERE database = current_database()")
	if err != nil || len(r.Rows) > 0 {
		t.Errorf("%v is left on the server: %v", r.Rows, err)
	}
}

// connected connects to a PostgreSQL until the test ends.
func connected(t *testing.T, dsn string) database.Conn {
	t.Helper()
	d, err := database.Open(t.Context(), dsn, "postgres")
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Connect(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// script is a workload of two sessions that wait for each other. The steps of the first
// attempt stand in order; later attempts do not wait.
type script struct {
	workloads
	of   func(sc *script, c *reader, first bool) error
	mu   sync.Mutex
	went map[string]bool
	done map[string]chan struct{}
}

func newScript(w workloads, of func(*script, *reader, bool) error, steps ...string) *script {
	s := &script{workloads: w, of: of, went: map[string]bool{}, done: map[string]chan struct{}{}}
	for _, step := range steps {
		s.done[step] = make(chan struct{})
	}
	return s
}

func (s *script) transaction(ctx context.Context, c *client) error {
	s.mu.Lock()
	first := !s.went[c.name]
	s.went[c.name] = true
	s.mu.Unlock()
	return s.of(s, &reader{client: c, ctx: ctx, own: map[string]item{}}, first)
}

func (s *script) log() logReader { return s.workloads.(recoverable).log() }

// follow runs a script.
func follow(t *testing.T, dsn, level string, certificate bool, s *script) (*Result, string) {
	t.Helper()
	o := options(dsn, level, "rw")
	o.Sessions, o.Txns, o.Certificate = 2, 1, certificate
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	o.work = s
	return recorded(t, t.Context(), o)
}

// lostUpdate: both read a row, then both write it, one after the other's commit.
func lostUpdate() *script {
	w := &registers{label: "rw"}
	return newScript(w, func(s *script, c *reader, first bool) error {
		if err := w.op(c.ctx, c.client, 1, true); err != nil {
			return err
		}
		switch {
		case !first:
		case c.name == "0":
			close(s.done["read"])
			<-s.done["committed"]
		default:
			<-s.done["read"]
			c.atEnd = append(c.atEnd, func(history.Fate) { close(s.done["committed"]) })
		}
		return w.op(c.ctx, c.client, 1, false)
	}, "read", "committed")
}

// twoCounts: the first counts a group twice, and the second inserts a row in between.
func twoCounts() *script {
	w := newInserts()
	return newScript(w, func(s *script, c *reader, first bool) error {
		if c.name == "1" {
			<-s.done["counted"]
			c.atEnd = append(c.atEnd, func(history.Fate) { close(s.done["committed"]) })
			return w.add(c, 7)
		}
		if err := w.count(c, 7); err != nil {
			return err
		}
		close(s.done["counted"])
		<-s.done["committed"]
		return w.count(c, 7)
	}, "counted", "committed")
}

// countAndInsert: both count a group, and then both insert into it.
func countAndInsert() *script {
	w := newInserts()
	return newScript(w, func(s *script, c *reader, first bool) error {
		if err := w.count(c, 7); err != nil {
			return err
		}
		if first {
			other := map[string]string{"0": "1", "1": "0"}[c.name]
			close(s.done[c.name])
			<-s.done[other]
		}
		return w.add(c, 7)
	}, "0", "1")
}

// What PostgreSQL allows below SERIALIZABLE is found and named. What is wrong with what predicates see is
// found by the certificate only.
func TestPostgresAnomalies(t *testing.T) {
	t.Parallel()
	dsn := shared(t)
	for _, test := range []struct {
		name, begin string
		script      *script
		level       isolation.Level
		items       string // by the reads of items
		all         string // with the certificate
	}{
		{"lost update", "read committed", lostUpdate(), isolation.SI, "lost update", "lost update"},
		{"lost update", "repeatable read", lostUpdate(), isolation.SI, "", ""},
		{"phantom", "read committed", twoCounts(), isolation.SI, "", "phantom"},
		{"phantom", "repeatable read", twoCounts(), isolation.SER, "", ""},
		{"write skew", "repeatable read", countAndInsert(), isolation.SER, "", "phantom write skew"},
		{"write skew", "repeatable read", countAndInsert(), isolation.SI, "", ""},
		{"write skew", "serializable", countAndInsert(), isolation.SER, "", ""},
	} {
		t.Run(test.name+" "+test.begin+" "+test.level.String(), func(t *testing.T) {
			_, file := follow(t, dsn, test.begin, true, test.script)
			wants(t, file, test.level, false, test.items)
			wants(t, file, test.level, true, test.all)
		})
	}
}

// MariaDB loses updates at REPEATABLE READ.
func TestMariaDBLosesUpdates(t *testing.T) {
	t.Parallel()
	_, file := follow(t, scratchDSN(t)+"&innodb_snapshot_isolation=OFF", "repeatable read", false, lostUpdate())
	wants(t, file, isolation.SI, false, "lost update")
}

// All workloads run on MariaDB, which keeps SI when it is told to, and SER.
func TestMariaDBKeepsItsPromise(t *testing.T) {
	t.Parallel()
	dsn := mariaDB(t)
	_, file := follow(t, dsn, "repeatable read", false, lostUpdate())
	wants(t, file, isolation.SI, false, "")
	for _, workload := range []string{"rw", "lists", "bank", "skew", "predicates", "inserts"} {
		for begin, level := range map[string]isolation.Level{"serializable": isolation.SER, "repeatable read": isolation.SI} {
			t.Run(workload+" "+begin, func(t *testing.T) {
				o := options(dsn, begin, workload)
				if err := o.Check(); err != nil {
					t.Fatal(err)
				}
				_, file := recorded(t, t.Context(), o)
				wants(t, file, level, false, "")
			})
		}
	}
}

// PostgreSQL at REPEATABLE READ shows two rows of one primary key to a transaction that inserts a
// key which another one has deleted since its snapshot: why no key is inserted twice.
func TestSameKeyTwice(t *testing.T) {
	t.Parallel()
	d, err := database.Open(t.Context(), shared(t), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	var conns [2]database.Conn
	for i := range conns {
		if conns[i], err = d.Connect(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		defer conns[i].Close()
	}
	var r database.Result
	for _, step := range []struct {
		conn int
		sql  string
	}{
		{0, "DROP TABLE IF EXISTS t; CREATE TABLE t (k int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1)"},
		{0, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM t"},
		{1, "DELETE FROM t WHERE k = 1"},
		{0, "INSERT INTO t VALUES (1, 2)"},
		{0, "SELECT k FROM t"},
	} {
		if r, err = conns[step.conn].Do(t.Context(), step.sql); err != nil {
			t.Fatalf("%s: %v", step.sql, err)
		}
	}
	if len(r.Rows) != 2 || r.Text(0, 0) != r.Text(1, 0) {
		t.Errorf("%v", r.Rows)
	}
}

// A history goes to Elle's format, and there it is the same.
func TestOtherFormats(t *testing.T) {
	t.Parallel()
	dsn := shared(t)
	for workload, name := range map[string]string{"lists": "elle", "rw": "dbcop"} {
		o := options(dsn, "serializable", workload)
		k := &Kept{History: filepath.Join(t.TempDir(), "h"), To: name}
		for _, err := range []error{o.Check(), k.Check()} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Run(t.Context(), o, k.Recorded()); err != nil {
			t.Fatal(err)
		}
		if _, err := k.End(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if f, err := format.Detect(k.History); err != nil || f.Name != name {
			t.Errorf("%v %v", f, err)
		}
		wants(t, k.History, isolation.SER, false, "")
	}
}

// Two runs do not share a database.
func TestAlone(t *testing.T) {
	t.Parallel()
	dsn := shared(t)
	d, err := database.Open(t.Context(), dsn, "postgres")
	if err != nil {
		t.Fatal(err)
	}
	o := options(dsn, "", "rw")
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	r := &run{Options: o, d: d}
	p, err := r.prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o, ""); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("%v", err)
	}
	if err := p.clear(nil); err != nil {
		t.Error(err)
	}
}

// What was recorded is in the file before the run ends, in whole lines.
func TestRecorder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "h")
	r, err := newRecorder(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	if err := r.txn(&history.Txn{Session: "1", ID: "1"}); err != nil {
		t.Fatal(err)
	}
	for {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) == 0 {
			time.Sleep(time.Millisecond)
			continue
		}
		if !strings.HasSuffix(string(data), "\n") || !json.Valid(data) {
			t.Errorf("%s", data)
		}
		return
	}
}
