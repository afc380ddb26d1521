package stress

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/isolation"
)

// Lines of test_decoding.
func TestChange(t *testing.T) {
	for _, test := range []struct {
		w     versioned
		line  string
		key   string
		value int64
		at    int64
	}{
		{&registers{}, "table public.txmc_stress_registers: UPDATE: k[integer]:5 v[bigint]:17", "5", 17, 0},
		{&registers{}, "table public.txmc_stress_registers: INSERT: k[integer]:5 v[bigint]:0", "", 0, 0}, // the initial version
		{&registers{}, "table public.txmc_stress_registers: DELETE: k[integer]:5", "", 0, 0},
		{&registers{}, "table public.shop: UPDATE: k[integer]:5 v[bigint]:17", "", 0, 0},
		{&registers{}, "BEGIN", "", 0, 0},
		{&registers{}, "table public.txmc_stress_registers: UPDATE: k[integer", "", 0, 0},
		{&bank{}, "table public.txmc_stress_accounts: UPDATE: k[integer]:5 balance[bigint]:90 v[bigint]:3", "account 5", 3, 0},
		{newLists(1), "table public.txmc_stress_lists: UPDATE: k[bigint]:5 v[text]:'1,2,31'", "5", 31, 0},
		{newLists(1), "table public.txmc_stress_lists: UPDATE: k[bigint]:5 v[text]:'it''s'", "", 0, 0},
		{newPredicates(1), "table public.txmc_stress_groups: UPDATE: id[bigint]:2 flag[bigint]:1 v[bigint]:8", "group 2", 8, 0},
		{newPredicates(1), "table public.txmc_stress_items: INSERT: id[bigint]:2 grp[bigint]:1 val[bigint]:0 v[bigint]:9", "item 2", 9, 0},
		{newPredicates(1), "message: transactional: 1 prefix: txmc_stress, sz: 12 content:item 2=10@750", "item 2", 10, 750},
		{newPredicates(1), "message: transactional: 1 prefix: other, sz: 12 content:item 2=10@750", "", 0, 0},
	} {
		v, at, ok := change(test.w, test.line)
		if ok != (test.key != "") || ok && (v.Key != test.key || v.Value.Num != test.value || at != test.at) {
			t.Errorf("%s: %v %d %v", test.line, v, at, ok)
		}
	}
}

// What pg_current_snapshot returns.
func TestSnapshot(t *testing.T) {
	for text, want := range map[string][]int64{"10:20:": {20}, "10:20:10,14": {20, 10, 14}, "10:20": nil, "10:x:": nil, "": nil} {
		var s versionSet
		if err := s.setSnapshot(text); (err == nil) != (want != nil) || err == nil && !reflect.DeepEqual(s.snapshot, want) {
			t.Errorf("%q: %v %v", text, s.snapshot, err)
		}
	}
}

// An item that is gone makes way for one with another key.
func TestItemPlace(t *testing.T) {
	p := &newItemPlaces(3)[2]
	if _, ok := p.there(); ok {
		t.Error("there is something at first")
	}
	first, isNew := p.choose()
	if again, known := p.choose(); !isNew || known || again != first || first != 2*generations {
		t.Errorf("%d %v, then %d %v", first, isNew, again, known)
	}
	p.goneIf(first, history.Committed)(history.Aborted)
	if id, ok := p.there(); !ok || id != first {
		t.Error("gone after a deletion that was rolled back")
	}
	p.goneIf(first, history.Committed)(history.Committed)
	if _, ok := p.there(); ok {
		t.Error("still there")
	}
	second, isNew := p.choose()
	if second == first || !isNew {
		t.Errorf("%d comes back", second)
	}
	for range mostMisses + 1 {
		p.missed(second)
	}
	if _, ok := p.there(); ok {
		t.Error("what is never there is looked for")
	}
}

// What is wrong with options and files is said with where.
func TestWrong(t *testing.T) {
	for _, test := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.DSN = "" }, "postgres:temp"},
		{func(o *Options) { o.Begin = "chaos" }, "read committed"},
		{func(o *Options) { o.Sessions = 0 }, "--sessions is 0"},
		{func(o *Options) { o.Distribution = "flat" }, "zipfian"},
		{func(o *Options) { o.Workload = "no such file" }, "predicates"},
		{func(o *Options) { o.Time = -1 }, "--time"},
		{func(o *Options) { o.FaultEvery = 0 }, "--fault-every"},
		{func(o *Options) { o.Workload, o.Keys = "bank", 1 }, "two rows"},
		{func(o *Options) { o.Faults = []string{"fire"} }, "restore"},
		{func(o *Options) { o.Faults, o.DSN = []string{"kill"}, "postgres://h/txmc_x" }, "throw-away"},
		{func(o *Options) { o.Faults, o.Certificate = []string{"restore"}, true }, "--certificate"},
	} {
		o := options("postgres:temp", "serializable", "rw")
		test.change(o)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
	for text, want := range map[string]string{
		"":                                 "no transaction",
		"  SELECT 1":                       "w:1: a statement before",
		"transaction 0":                    "w:1: the weight",
		"tables users":                     "w:1: the table \"users\"",
		"begin":                            "w:1: expected tables",
		"transaction\n  write {a}: DELETE": "w:2: a write without {value}",
		"transaction\n  read: SELECT 1":    "w:2: read: expected",
		"transaction\n  rows x: SELECT 1":  "w:2: rows: expected",
	} {
		if _, err := parseTemplates("w", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

const stock = `# a shop
tables txmc_stress_stock
setup
  CREATE TABLE txmc_stress_stock (k int PRIMARY KEY, v bigint NOT NULL);
  INSERT INTO txmc_stress_stock SELECT i, 0 FROM generate_series(0, {keys} - 1) i

transaction 3
  read {a}: SELECT v FROM txmc_stress_stock WHERE k = {a}
  read {b}: SELECT v FROM txmc_stress_stock WHERE k = {b}
  write {a}: UPDATE txmc_stress_stock SET v = {value} WHERE k = {a}
  SELECT 1
transaction
  rows: SELECT k, v FROM txmc_stress_stock WHERE k < 5
  read nothing: SELECT v FROM txmc_stress_stock WHERE k < 0
`

// A file with SQL of one's own.
func TestTemplates(t *testing.T) {
	t.Parallel()
	dsn := shared(t)
	file := filepath.Join(t.TempDir(), "stock.txt")
	if err := os.WriteFile(file, []byte(stock), 0o600); err != nil {
		t.Fatal(err)
	}
	o := options(dsn, "serializable", file)
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	_, history := recorded(t, t.Context(), o)
	text, err := os.ReadFile(history)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`["w","`, `["r","nothing",null]`, `["r","0",`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in the history", want)
		}
	}
	wants(t, history, isolation.SER, false, "")
	nothingLeft(t, dsn)
}

// A statement that the server does not understand ends the run with its answer.
func TestWrongStatement(t *testing.T) {
	t.Parallel()
	dsn := shared(t)
	file := filepath.Join(t.TempDir(), "wrong.txt")
	if err := os.WriteFile(file, []byte("transaction\n  SELEC 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := options(dsn, "", file)
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o, ""); err == nil || !strings.Contains(err.Error(), "42601") {
		t.Errorf("%v", err)
	}
}

// An interrupt ends a run between transactions, with a history that can be read.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	o := options(shared(t), "repeatable read", "rw")
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := &counting{workloads: o.work, stop: cancel, left: 20}
	o.work, o.Txns = w, 1<<20
	r, file := recorded(t, ctx, o)
	if !r.Stopped || r.Committed < 20 {
		t.Errorf("%v", r)
	}
	if v := decided(t, file, isolation.SI, false); v.Outcome != check.Satisfied {
		t.Errorf("%v", v.Outcome)
	}
}

// A fault for which a run was too short is named: it has tested nothing.
func TestFaultsThatDidNotHappen(t *testing.T) {
	trouble := newTrouble(&run{Options: &Options{Faults: []string{faultKill, faultCut}, FaultEvery: time.Hour}})
	trouble.start(t.Context())
	done, err := trouble.end()
	if err != nil {
		t.Fatal(err)
	}
	done[faultCut] = 3
	got := (&Result{Took: time.Second, Faults: done}).String()
	if want := "; cut: 3 times; kill: 0 times, because the run ended before"; !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}
