package innodb

import (
	"slices"
	"testing"
)

// orders is orders(id, customer, state) with an index on customer, and
// lines(order, line, amount) with a primary key of two columns.
var orders = Schema{Tables: []Table{
	{Columns: 3, Indexes: []Index{{Columns: []int{0}, Unique: true}, {Columns: []int{1}}}},
	{Columns: 3, Indexes: []Index{{Columns: []int{0, 1}, Unique: true}}},
}}

var ordersRows = [][]Row{
	{{1, 100, 0}, {2, 100, 0}, {4, 200, 0}},
	{{1, 1, 5}, {1, 2, 6}, {4, 1, 7}},
}

func newOrders(t *testing.T) *State {
	t.Helper()
	s, err := NewState(orders, ordersRows, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// all runs a cursor to its end.
func all(t *testing.T, s *State, trx Trx, c Cursor) []Row {
	t.Helper()
	var rows []Row
	for {
		switch a := s.Next(trx, &c); a {
		case Found:
			rows = append(rows, c.Row)
		case End:
			return rows
		default:
			t.Fatalf("the scan answers %d", a)
		}
	}
}

func expect(t *testing.T, what string, got, want Answer) {
	t.Helper()
	if got != want {
		t.Errorf("%s: answer %d, want %d", what, got, want)
	}
}

// TestGapLock: at REPEATABLE READ an equality that finds nothing locks the gap;
// an insert into it waits until the reader ends. At READ COMMITTED it does not.
// MySQL manual, "InnoDB Locking", gap locks.
func TestGapLock(t *testing.T) {
	for _, level := range []Level{ReadCommitted, RepeatableRead, SnapshotIsolation, Serializable} {
		s := newOrders(t)
		reader, writer := s.Begin(0, level), s.Begin(1, level)
		c := Cursor{Index: s.IndexOf(0, 0), Span: Span{Low: Tuple{3}, Exact: true}, Mode: Exclusive}
		expect(t, "lookup", s.Next(reader, &c), End)
		n := Insert{Table: 0, Row: Row{3, 300, 0}}
		if level == ReadCommitted {
			expect(t, "insert", s.Insert(writer, &n), Done)
			continue
		}
		expect(t, "insert", s.Insert(writer, &n), Blocked)
		if w, blocked := s.Waiting(writer); !blocked || w.For != reader || !w.Insert || !slices.Equal(w.Key, Tuple{4}) {
			t.Errorf("waits: %v %+v", blocked, w)
		}
		s.Commit(reader)
		if w, blocked := s.Waiting(writer); blocked {
			t.Errorf("still waits: %+v", w)
		}
		if !slices.Equal(s.Woken(), []Trx{writer}) {
			t.Errorf("woken: %v", s.Woken())
		}
		s.Resume(writer)
		expect(t, "insert goes on", s.Insert(writer, &n), Done)
		s.Commit(writer)
		if len(s.Rows(0)) != 4 {
			t.Errorf("rows: %v", s.Rows(0))
		}
	}
}

// TestPrefix: a scan of the first column of a key of two finds its rows, locks
// them and the gap behind them, and nothing else.
func TestPrefix(t *testing.T) {
	s := newOrders(t)
	reader, writer := s.Begin(0, RepeatableRead), s.Begin(1, RepeatableRead)
	rows := all(t, s, reader, Cursor{Index: s.IndexOf(1, 0), Span: Span{Low: Tuple{1}, Exact: true}, Mode: Exclusive})
	if len(rows) != 2 || rows[1][2] != 6 {
		t.Errorf("rows: %v", rows)
	}
	inside, behind := s.Clone(), s.Clone()
	expect(t, "insert at the end of the order", inside.Insert(writer, &Insert{Table: 1, Row: Row{1, 3, 9}}), Blocked)
	expect(t, "insert into the next order", behind.Insert(writer, &Insert{Table: 1, Row: Row{4, 2, 9}}), Done)
}

// TestSecondary: a scan of a secondary index locks its records, the gaps before
// them, the gap behind the last one, and the rows. MySQL manual, "Locks Set by
// Different SQL Statements in InnoDB".
func TestSecondary(t *testing.T) {
	s := newOrders(t)
	reader, writer := s.Begin(0, RepeatableRead), s.Begin(1, RepeatableRead)
	if rows := all(t, s, reader, Cursor{Index: s.IndexOf(0, 1), Span: Span{Low: Tuple{100}, Exact: true}, Mode: Exclusive}); len(rows) != 2 {
		t.Errorf("rows: %v", rows)
	}
	for _, row := range []Row{{3, 100, 0}, {3, 50, 0}, {3, 150, 0}} {
		expect(t, "insert into a locked gap", s.Clone().Insert(writer, &Insert{Table: 0, Row: row}), Blocked)
	}
	expect(t, "insert of a greater customer", s.Clone().Insert(writer, &Insert{Table: 0, Row: Row{3, 250, 0}}), Done)
	lookup := func(id int) Answer {
		return s.Clone().Next(writer, &Cursor{Index: s.IndexOf(0, 0), Span: Span{Low: Tuple{id}, Exact: true}, Mode: Exclusive})
	}
	expect(t, "lookup of a row found", lookup(2), Blocked)
	expect(t, "lookup of another row", lookup(4), Found)
}

// TestView: the view is made when it is asked for, and keeps rows as they were
// then, by any index. MySQL manual, "Consistent Nonlocking Reads".
func TestView(t *testing.T) {
	s := newOrders(t)
	reader, writer := s.Begin(0, RepeatableRead), s.Begin(1, RepeatableRead)
	s.View(reader, nil)
	expect(t, "update", s.Write(writer, &Write{Table: 0, Key: Tuple{1}, Row: Row{1, 200, 1}}), Done)
	expect(t, "delete", s.Write(writer, &Write{Table: 0, Key: Tuple{2}}), Done)
	s.Commit(writer)
	for customer, want := range map[int]int{100: 2, 200: 1} {
		c := Cursor{Index: s.IndexOf(0, 1), Span: Span{Low: Tuple{customer}, Exact: true}, Mode: Snapshot}
		if rows := all(t, s, reader, c); len(rows) != want {
			t.Errorf("customer %d: %v", customer, rows)
		}
	}
	if n := len(all(t, s, reader, Cursor{Index: s.IndexOf(0, 0), Mode: Snapshot})); n != 3 {
		t.Errorf("%d rows, want 3", n)
	}
	if s.Purgeable() != 0 {
		t.Error("purge would remove what the view needs")
	}
	s.Commit(reader)
	if s.Purgeable() != 1 {
		t.Error("purge has nothing to do")
	}
}

// TestRollback: rolling back restores rows and indexes, also when the primary
// key has changed.
func TestRollback(t *testing.T) {
	s := newOrders(t)
	want := s.Clone()
	trx := s.Begin(0, RepeatableRead)
	expect(t, "move", s.Write(trx, &Write{Table: 0, Key: Tuple{1}, Row: Row{9, 200, 0}}), Done)
	expect(t, "insert", s.Insert(trx, &Insert{Table: 0, Row: Row{1, 5, 5}}), Done)
	expect(t, "delete", s.Write(trx, &Write{Table: 0, Key: Tuple{4}}), Done)
	expect(t, "delete of a row that is not there", s.Write(trx, &Write{Table: 0, Key: Tuple{77}}), End)
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	s.Rollback(trx)
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	if keyOf(s) != keyOf(want) {
		t.Errorf("after ROLLBACK: %v", s.Rows(0))
	}
}

func keyOf(s *State) Key {
	var k Keyer
	k.Reset(s)
	k.AddState()
	return k.Sum()
}

// TestDuplicate: a duplicate names the index and the row that is there, and
// leaves nothing behind but its locks.
func TestDuplicate(t *testing.T) {
	s := newOrders(t)
	trx := s.Begin(0, ReadCommitted)
	n := Insert{Table: 1, Row: Row{1, 2, 0}}
	expect(t, "insert", s.Insert(trx, &n), Duplicate)
	if n.Index != s.IndexOf(1, 0) || n.Existing.Compare(Tuple{1, 2}) != 0 {
		t.Errorf("index %d, row %v", n.Index, n.Existing)
	}
	other := s.Begin(1, ReadCommitted)
	w := Cursor{Index: n.Index, Span: Span{Low: Tuple{1, 2}, Exact: true}, Mode: Exclusive, Wait: NoWait}
	expect(t, "lookup of the row", s.Next(other, &w), Timeout)
}

// TestDeadlock: who closes a cycle of equal weights is the victim; with races,
// any member may be.
func TestDeadlock(t *testing.T) {
	for _, races := range []bool{false, true} {
		s, err := NewState(orders, ordersRows, Options{Races: races})
		if err != nil {
			t.Fatal(err)
		}
		a, b := s.Begin(0, ReadCommitted), s.Begin(1, ReadCommitted)
		lock := func(trx Trx, id int) Answer {
			return s.Next(trx, &Cursor{Index: 0, Span: Span{Low: Tuple{id}, Exact: true}, Mode: Exclusive})
		}
		expect(t, "a locks 1", lock(a, 1), Found)
		expect(t, "b locks 2", lock(b, 2), Found)
		expect(t, "a locks 2", lock(a, 2), Blocked)
		expect(t, "b locks 1", lock(b, 1), Blocked)
		victim := b
		if races {
			if len(s.Cycle()) != 2 {
				t.Fatalf("cycle %v", s.Cycle())
			}
			victim = a
			s.Fail(victim)
		}
		if !slices.Equal(s.Woken(), []Trx{victim}) {
			t.Fatalf("woken: %v, want %d", s.Woken(), victim)
		}
		s.Resume(victim)
		expect(t, "the victim", lock(victim, 3), Deadlock)
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestSchemaErrors: a schema without a clustered index, or with a column that
// is not there, is an error.
func TestSchemaErrors(t *testing.T) {
	for _, s := range []Schema{
		{Tables: []Table{{Columns: 1}}},
		{Tables: []Table{{Columns: 1, Indexes: []Index{{Columns: []int{0}}}}}},
		{Tables: []Table{{Columns: 1, Indexes: []Index{{Columns: []int{1}, Unique: true}}}}},
	} {
		if _, err := NewState(s, nil, Options{}); err == nil {
			t.Errorf("no error for %+v", s)
		}
	}
}
