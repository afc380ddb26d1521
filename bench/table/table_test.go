package table_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/txmc/txmc/bench/table"
)

const things table.Table = "T"

func loaded() *table.Memory {
	m := table.NewMemory()
	table.Load(m, []table.Schema{
		{Table: things, File: "things", Key: []int{0, 1}},
		{Table: "IDS", File: "things", Key: []int{1}, IDsOnly: true},
		{Table: "EMPTY"},
	}, map[string][]table.Row{"things": {"1;2;x", "1;3;y", "12;3;z"}})
	return m
}

func TestLoad(t *testing.T) {
	m := loaded()
	if diff := cmp.Diff([]string{"1:2", "1:3", "12:3"}, things.IDs(m)); diff != "" {
		t.Error(diff)
	}
	if m.Read("IDS:3") != nil || m.Read("T:1:3") != table.Row("1;3;y") {
		t.Error("rows of a table of ids, or none of the other")
	}
	if ids := table.Table("EMPTY").IDs(m); ids == nil || len(ids) != 0 {
		t.Errorf("an empty table lists %v", ids)
	}
}

// TestParts: prefixes and suffixes are of whole parts: 1 is not the beginning of
// 12:3.
func TestParts(t *testing.T) {
	m := loaded()
	if n := len(things.Rows(m, table.Prefix("1"))); n != 2 {
		t.Errorf("%d rows with prefix 1, want 2", n)
	}
	if n := len(things.Rows(m, table.Suffix("3"))); n != 2 {
		t.Errorf("%d rows with suffix 3, want 2", n)
	}
	if n := len(things.Rows(m, table.Suffix("2:3"))); n != 0 {
		t.Errorf("%d rows with suffix 2:3, want none", n)
	}
}

func TestChanges(t *testing.T) {
	m := loaded()
	mark := m.Mark()
	things.Put(m, "1:2", "1;2;changed")
	things.Put(m, "9:9", "9;9;not there")
	things.Add(m, "4:4", "4;4;new")
	things.Del(m, "1:3")
	things.Del(m, "1:3")
	if diff := cmp.Diff([]string{"1:2", "12:3", "4:4"}, things.IDs(m)); diff != "" {
		t.Error(diff)
	}
	if row, ok := things.Row(m, "1:2"); !ok || row.Field(2) != "changed" {
		t.Errorf("row %q", row)
	}
	if _, err := things.Must(m, "1:3"); !errors.Is(err, table.ErrNone) {
		t.Errorf("error %v", err)
	}
	if _, ok := things.Row(m, "9:9"); ok {
		t.Error("an update has inserted a row")
	}
	m.Undo(mark)
	if diff := cmp.Diff([]string{"1:2", "1:3", "12:3"}, things.IDs(m)); diff != "" {
		t.Error(diff)
	}
	if m.Read("T:4:4") != nil {
		t.Error("an insertion is not undone")
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	m := loaded()
	fail := errors.New("fail")
	err := m.Txn(func(tx table.Tx) error {
		things.Add(tx, "5:5", "5;5")
		return fail
	})
	if err != fail || m.Read("T:5:5") != nil || len(things.IDs(m)) != 3 {
		t.Errorf("error %v, ids %v", err, things.IDs(m))
	}
}

func TestRow(t *testing.T) {
	row := table.NewRow("a", "2", "1.5")
	if row.Field(0) != "a" || row.Int(1) != 2 || row.Float(2) != 1.5 || row.Field(3) != "" || row.Int(0) != 0 {
		t.Errorf("fields of %q", row)
	}
	if got := row.With(1, "7"); got != "a;7;1.5" {
		t.Errorf("%q", got)
	}
	if got := table.Row("").With(2, "x"); got != ";;x" {
		t.Errorf("%q", got)
	}
	if got := row.ID(2, 0); got != "1.5:a" {
		t.Errorf("%q", got)
	}
}
