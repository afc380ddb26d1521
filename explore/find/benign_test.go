package find

import (
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
)

// Structures that run with outcomes of serial orders alone are told apart, with a run that is not
// serial itself. Structures that nothing runs are not told apart. Anomalies stay the same.
func TestBenign(t *testing.T) {
	deadlinetest.Long(t)
	opts := Options{Level: isolation.PgRC, Run: true}
	opts.Dir = "letters"
	plain := find(t, opts)
	opts.Benign = true
	r := find(t, opts)
	anomalies := func(r *Report) (list []string) {
		for _, f := range r.Findings {
			list = append(list, strings.Join(f.Calls, " "))
		}
		return list
	}
	if len(plain.Benign) > 0 || !slices.Equal(anomalies(plain), anomalies(r)) || plain.Confirmed != r.Confirmed {
		t.Errorf("%d benign without being asked; anomalies %q and %q", len(plain.Benign), anomalies(plain), anomalies(r))
	}
	if r.Structures != r.Confirmed+len(r.Benign)+len(r.Unconfirmed) {
		t.Errorf("%d structures, %d confirmed, %d benign, %d unconfirmed", r.Structures, r.Confirmed, len(r.Benign), len(r.Unconfirmed))
	}
	// Of two Sends the second waits for the first's DELETE: then it deletes nothing, and marks the
	// letter once more. Of Write with Send no structure runs.
	for _, b := range r.Benign {
		if calls := strings.Join(b.Calls, " "); calls != "Desk.Send Desk.Send" || len(b.Invoked) != 2 {
			t.Errorf("%s: %s %q", calls, b.Structure, b.Invoked)
		}
		if !interleaved(b) {
			t.Errorf("%s is shown by a serial run", b.Structure)
		}
	}
	if len(r.Benign) != 5 {
		t.Errorf("%d benign", len(r.Benign))
	}
}

// interleaved reports whether a session takes a step between two of another one.
func interleaved(b *Benign) bool {
	var turns []string
	for _, o := range b.Run.Schedule {
		if len(turns) == 0 || turns[len(turns)-1] != o.Session {
			turns = append(turns, o.Session)
		}
	}
	return len(turns) > 2
}

// Two statements meet where they name a row of the table in common, by the whole key. They also
// meet where one of them names no row, or not all, or brings or takes rows.
func TestMeet(t *testing.T) {
	table := &access.Table{Name: "seat", Columns: []*access.Column{{Name: "show"}, {Name: "who"}, {Name: "price"}}, Unique: [][]int{{0, 1}}}
	nameless := &access.Table{Name: "seat", Columns: table.Columns}
	step := func(kind access.Kind) *structure.Step {
		return &structure.Step{Effect: &access.Effect{Accesses: []*access.Access{{Table: table, Kind: kind}}}}
	}
	const ann = `reads seat {price:1 show:1 who:"ann lee"}`
	for name, test := range map[string]struct {
		from, to []string
		kind     access.Kind
		table    *access.Table
		want     bool
	}{
		"the same row":             {[]string{ann}, []string{`writes seat {price:2 show:1 who:"ann lee"}`}, access.Update, table, true},
		"another row":              {[]string{ann}, []string{`writes seat {price:1 show:2 who:"ann lee"}`}, access.Update, table, false},
		"a name that begins alike": {[]string{ann}, []string{`writes seat {price:1 show:1 who:"ann ray"}`}, access.Update, table, false},
		"a column in a text":       {[]string{ann}, []string{`writes seat {price:" show:1 who:" show:2 who:"ann lee"}`}, access.Update, table, false},
		"one of several":           {[]string{`reads seat {price:1 show:3 who:bob}`, ann}, []string{ann}, access.Update, table, true},
		"not all are named":        {[]string{ann, "and 2 more"}, []string{`writes seat {price:1 show:2 who:bob}`}, access.Update, table, true},
		"none of the table":        {[]string{ann}, []string{`writes seats {price:1 show:2 who:bob}`}, access.Update, table, true},
		"no key":                   {[]string{ann}, []string{`writes seat {price:1 show:2 who:bob}`}, access.Update, nameless, true},
		"a row that is inserted":   {[]string{ann}, []string{`writes seat {price:1 show:2 who:bob}`}, access.Insert, table, true},
	} {
		v := &report.Execution{Schedule: []report.Operation{{Rows: test.from}, {Rows: test.to}}}
		d := &structure.Dependency{From: step(access.Read), To: step(test.kind), Table: test.table}
		if got := meet(v, d, 0, 1); got != test.want {
			t.Errorf("%s: they meet %v, want %v", name, got, test.want)
		}
	}
}

// One call is shown in the first session's place and in the second's, two calls in their own; a
// statement that a constraint refused was there for the dependency of a rival alone.
func TestShows(t *testing.T) {
	pkg := types.NewPackage("shop", "shop")
	call := &source.Call{Func: types.NewFunc(0, pkg, "Pay", types.NewSignatureType(nil, nil, nil, nil, nil, false))}
	other := &source.Call{Func: call.Func}
	step := func(of *source.Call, sql string) *structure.Step {
		return &structure.Step{Statement: &source.Statement{SQL: sql, At: sql}, Effect: &access.Effect{},
			Of: &structure.Transaction{Transaction: &source.Transaction{Call: of}}}
	}
	const look, insert = "SELECT 1", "INSERT 1"
	cycle := func(second *source.Call, rival bool) *structure.Structure {
		r, w, r2, w2 := step(call, look), step(call, insert), step(second, look), step(second, insert)
		s := &structure.Structure{}
		s.Nodes = []structure.Node{{In: w, Out: r}, {In: w2, Out: w2}}
		if rival {
			s.Nodes[1] = structure.Node{In: r2, Out: w2}
		}
		s.Dependencies = []*structure.Dependency{{Kind: structure.RW, From: r, To: s.Nodes[1].In}, {Kind: structure.WW, From: w2, To: w, Rival: rival}}
		return s
	}
	run := func(failed string, operations ...string) *report.Execution {
		v := &report.Execution{}
		for i := 0; i < len(operations); i += 2 {
			v.Schedule = append(v.Schedule, report.Operation{Session: operations[i], Transaction: "t", Statement: operations[i+1], At: operations[i+1]})
		}
		v.Schedule[len(v.Schedule)-1].Error = failed
		return v
	}
	const one, two = "Pay 1", "Pay 2"
	const duplicate = "23505 duplicate key value violates unique constraint"
	inOrder, swapped := []string{one, look, two, look, two, insert, one, insert}, []string{two, look, one, look, one, insert, two, insert}
	for _, test := range []struct {
		name string
		run  *report.Execution
		s    *structure.Structure
		want bool
	}{
		{"in order", run("", inOrder...), cycle(call, false), true},
		{"swapped", run("", swapped...), cycle(call, false), true},
		{"swapped, of two calls", run("", swapped...), cycle(other, false), false},
		{"refused", run(duplicate, inOrder...), cycle(call, false), false},
		{"refused, a rival", run(duplicate, inOrder...), cycle(call, true), true},
		{"failed, a rival", run("40001 could not serialize access", inOrder...), cycle(call, true), false},
	} {
		if got := shows(test.run, test.s, true); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// A statement reads rows that were there before its snapshot. At READ COMMITTED this is the
// snapshot of the statement, at REPEATABLE READ that of the transaction's first. A row was there
// when its writer had committed.
func TestDepends(t *testing.T) {
	schedule := func(level isolation.Level) *report.Execution {
		var list []report.Operation
		for _, session := range []string{"reader", "writer", "reader", "writer", "reader"} { // the writer's second is its commit
			list = append(list, report.Operation{Session: session, Transaction: "t", Level: level.String()})
		}
		return &report.Execution{Schedule: list}
	}
	for _, test := range []struct {
		level    isolation.Level
		kind     structure.Kind
		from, to int
		want     bool
	}{
		{isolation.PgRC, structure.WR, 1, 2, false}, // not yet committed
		{isolation.PgRC, structure.WR, 1, 4, true},
		{isolation.PgRR, structure.WR, 1, 4, false}, // the snapshot is older
		{isolation.PgRC, structure.RW, 2, 1, true},
		{isolation.PgRC, structure.RW, 4, 1, false},
		{isolation.PgRR, structure.RW, 4, 1, true},
		{isolation.PgRC, structure.WW, 1, 2, true},
		{isolation.PgRC, structure.WW, 2, 1, false},
	} {
		if got := depends(schedule(test.level), test.kind, test.from, test.to); got != test.want {
			t.Errorf("%v: %v of %d and %d is %v", test.level, test.kind, test.from, test.to, got)
		}
	}
}
