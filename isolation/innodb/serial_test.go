package innodb

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// serial runs transactions one after the other on a State and on plain lists of
// rows. Without concurrency both are the same, whatever the schema.
type serial struct {
	*rand.Rand
	t      *testing.T
	schema Schema
	s      *State
	rows   [][]Row // by table, as the running transaction sees them
}

// randomSchema has up to three tables of up to four columns, with keys of one
// or two columns.
func randomSchema(r *rand.Rand) (schema Schema) {
	for range 1 + r.IntN(3) {
		t := Table{Columns: 2 + r.IntN(3)}
		for i := range 1 + r.IntN(3) {
			columns := r.Perm(t.Columns)[:1+r.IntN(2)]
			t.Indexes = append(t.Indexes, Index{Columns: columns, Unique: i == 0 || r.IntN(2) == 0})
		}
		schema.Tables = append(schema.Tables, t)
	}
	return schema
}

// TestSerial: transactions without concurrency do what they do on lists.
func TestSerial(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		x := &serial{Rand: r, t: t, schema: randomSchema(r)}
		x.rows = make([][]Row, len(x.schema.Tables))
		var err error
		if x.s, err = NewState(x.schema, x.rows, Options{Purge: true}); err != nil {
			t.Fatal(err)
		}
		for range 6 {
			x.transaction()
			if err := x.s.Check(); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, x.schema)
		}
	}
}

func (x *serial) transaction() {
	before := make([][]Row, len(x.rows))
	for i := range x.rows {
		before[i] = slices.Clone(x.rows[i])
	}
	trx := x.s.Begin(0, Level(x.IntN(4)))
	for range 1 + x.IntN(6) {
		table := x.IntN(len(x.rows))
		switch x.IntN(4) {
		case 0, 1:
			x.insert(trx, table)
		case 2:
			x.write(trx, table)
		}
		x.compare(trx, table)
		x.s.EndStatement(trx)
	}
	if x.IntN(3) > 0 {
		x.s.Commit(trx)
	} else {
		x.s.Rollback(trx)
		x.rows = before
	}
	for table := range x.rows {
		x.sameRows("after the end", x.s.Rows(table), x.sorted(table, 0))
	}
	x.s.Purge(x.IntN(x.s.Purgeable() + 1))
}

// row is a random row. Only columns outside the clustered index may be null.
func (x *serial) row(table int) Row {
	t := &x.schema.Tables[table]
	r := make(Row, t.Columns)
	for i := range r {
		r[i] = x.IntN(4)
		if r[i] == 0 && !slices.Contains(t.Indexes[0].Columns, i) {
			r[i] = Null
		}
	}
	return r
}

func project(r Row, columns []int) Tuple {
	k := Tuple{}
	for _, c := range columns {
		k = append(k, r[c])
	}
	return k
}

// clashes reports whether a unique index forbids the row beside the others.
func (x *serial) clashes(table int, row, except Row) bool {
	for _, index := range x.schema.Tables[table].Indexes {
		k := project(row, index.Columns)
		for _, o := range x.rows[table] {
			if index.Unique && !slices.Contains(k, Null) && slices.Equal(k, project(o, index.Columns)) && !(except != nil && slices.Equal(o, except)) {
				return true
			}
		}
	}
	return false
}

func (x *serial) insert(trx Trx, table int) {
	row := x.row(table)
	want := Done
	if x.clashes(table, row, nil) {
		want = Duplicate
	} else {
		x.rows[table] = append(x.rows[table], row)
	}
	if got := x.s.Insert(trx, &Insert{Table: table, Row: row}); got != want {
		x.t.Errorf("insert %v into %d: answer %d, want %d", row, table, got, want)
	}
}

// write updates or deletes a row.
func (x *serial) write(trx Trx, table int) {
	if len(x.rows[table]) == 0 {
		return
	}
	i := x.IntN(len(x.rows[table]))
	old := x.rows[table][i]
	w := Write{Table: table, Key: project(old, x.schema.Tables[table].Indexes[0].Columns)}
	want := Done
	if x.IntN(3) > 0 {
		w.Row = x.row(table)
	}
	c := Cursor{Index: x.s.IndexOf(table, 0), Span: Span{Low: w.Key, Exact: true}, Mode: Exclusive}
	if got := x.s.Next(trx, &c); got != Found || !slices.Equal(c.Row, old) {
		x.t.Errorf("lookup of %v: answer %d, row %v", old, got, c.Row)
	}
	switch {
	case w.Row == nil:
		x.rows[table] = slices.Delete(x.rows[table], i, i+1)
	case x.clashes(table, w.Row, old):
		want = Duplicate
	default:
		x.rows[table][i] = w.Row
	}
	if got := x.s.Write(trx, &w); got != want {
		x.t.Errorf("write %v to %v: answer %d, want %d", old, w.Row, got, want)
	}
}

// compare scans an index in a random way.
func (x *serial) compare(trx Trx, table int) {
	index := x.IntN(len(x.schema.Tables[table].Indexes))
	columns := x.schema.Tables[table].Indexes[index].Columns
	c := Cursor{Index: x.s.IndexOf(table, index), Mode: Exclusive, Descending: x.IntN(3) == 0}
	if x.IntN(2) == 0 {
		c.Low, c.LowOpen = project(x.row(table), columns[:1]), x.IntN(2) == 0
	}
	if x.IntN(2) == 0 {
		c.High, c.HighOpen = project(x.row(table), columns[:1]), x.IntN(2) == 0
	}
	var want []Row
	for _, r := range x.sorted(table, index) {
		v := r[columns[0]]
		if (c.Low == nil || v > c.Low[0] || v == c.Low[0] && !c.LowOpen) && (c.High == nil || v < c.High[0] || v == c.High[0] && !c.HighOpen) {
			want = append(want, r)
		}
	}
	if c.Descending {
		slices.Reverse(want)
	}
	x.sameRows("locking scan", all(x.t, x.s, trx, c), want)
	if c.Mode = Snapshot; x.s.LevelOf(trx) == ReadCommitted || !x.s.trxs[trx].view {
		x.s.View(trx, nil)
		x.sameRows("plain scan", all(x.t, x.s, trx, c), want)
	}
}

// sorted lists the rows in the order of an index.
func (x *serial) sorted(table, index int) []Row {
	t := &x.schema.Tables[table]
	rows := slices.Clone(x.rows[table])
	slices.SortFunc(rows, func(a, b Row) int {
		if c := project(a, t.Indexes[index].Columns).Compare(project(b, t.Indexes[index].Columns)); c != 0 {
			return c
		}
		return newIndex(table, index, t.Indexes[index], t.Indexes[0].Columns).compare(a, b)
	})
	return rows
}

func (x index) compare(a, b Row) int { return x.entry(a).Compare(x.entry(b)) }

func (x *serial) sameRows(what string, got, want []Row) {
	x.t.Helper()
	if !slices.EqualFunc(got, want, func(a, b Row) bool { return slices.Equal(a, b) }) {
		x.t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
