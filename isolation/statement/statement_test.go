package statement

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestRecordedText reads every recorded program where the files are: its
// text equals the recorded text, and it survives encoding.
func TestRecordedText(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/database-outcomes/*.jsonl")
	if len(files) == 0 {
		t.Skip("no recorded outcomes here")
	}
	for _, name := range files {
		err := ReadFile(name, func(r *Recorded) error {
			want := strings.Join(r.SQL, "\n")
			if got := strings.TrimSpace(r.Program.Text()); got != want {
				t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
			}
			b, err := json.Marshal(r)
			if err != nil {
				return err
			}
			return Decode(bytes.NewReader(b), func(again *Recorded) error {
				if !reflect.DeepEqual(r, again) {
					t.Errorf("%s: seed %d changes when it is encoded", name, r.Program.Seed)
				}
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestDecodeNamesTheLine: a broken line is an error that names the line.
func TestDecodeNamesTheLine(t *testing.T) {
	err := Decode(strings.NewReader("{}\n{\"program\":1}\n"), func(*Recorded) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Fatalf("got %v, want an error in line 2", err)
	}
}

// TestClient follows one session through results and errors.
func TestClient(t *testing.T) {
	read := Result{Kind: Rows, Rows: []IDValue{{1, 10}, {2, 5}}}
	one := Result{Kind: Count, N: 1}
	tests := []struct {
		name    string
		db      string
		txns    []Transaction
		results []Result
		want    string
	}{
		{"commit", PostgreSQL, []Transaction{{Stmts: []Statement{{Op: Get}}}}, []Result{read, {Kind: Committed}}, "run commit done"},
		{"quit", PostgreSQL, []Transaction{{Stmts: []Statement{{Op: Scan}, {Op: Quit, C: 16}, {Op: UpdKey}}}}, []Result{read, {Kind: RolledBack}}, "run rollback done"},
		{"no quit", PostgreSQL, []Transaction{{Stmts: []Statement{{Op: Scan}, {Op: Quit, C: 15}, {Op: UpdKey}}}}, []Result{read, one, {Kind: Committed}}, "run run commit done"},
		{"PostgreSQL rolls back in the same step", PostgreSQL, []Transaction{{Stmts: []Statement{{Op: UpdKey}}}}, []Result{Fail("40001")}, "run +rollback done"},
		{"MariaDB rolls back in its next step", MariaDB, []Transaction{{Stmts: []Statement{{Op: UpdKey}}}}, []Result{Fail("1062"), {Kind: RolledBack}}, "run rollback done"},
		{"MariaDB's deadlock has rolled back", MariaDB, []Transaction{{Stmts: []Statement{{Op: UpdKey}}}}, []Result{Fail("1213")}, "run done"},
		{"goes on", PostgreSQL, []Transaction{{GoOn: true, Stmts: []Statement{{Op: UpdKey}, {Op: UpdKey}}}}, []Result{Fail("40001"), Fail("25P02"), {Kind: RolledBack}}, "run run commit done"},
		{"autocommit", PostgreSQL, []Transaction{{Auto: true, Stmts: []Statement{{Op: Get}}}, {Rollback: true}}, []Result{read, {Kind: RolledBack}}, "run rollback done"},
	}
	names := map[Kind]string{Done: "done", Run: "run", Commit: "commit", Rollback: "rollback"}
	for _, tt := range tests {
		var c Client
		var got []string
		for _, r := range tt.results {
			got = append(got, names[c.Next(tt.txns).Kind])
			var now bool
			if c, now = c.After(tt.txns, tt.db, r); now {
				got = append(got, "+rollback")
			}
		}
		got = append(got, names[c.Next(tt.txns).Kind])
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, s, tt.want)
		}
	}
}

// TestPasts: equal sequences have equal numbers, different ones do not.
func TestPasts(t *testing.T) {
	results := []Result{{}, {Rows: []IDValue{{1, 2}}}, {Rows: []IDValue{{2, 1}}}, {Kind: Aggregate, N: 1, Sum: 2},
		{Kind: Count, N: 1}, {Kind: Count, N: 2}, {Kind: Committed}, {Kind: RolledBack}, {Kind: Saved}, Fail("40001"), Fail("40P01")}
	p := NewPasts()
	seen := map[int32]bool{0: true}
	for _, a := range results {
		first := p.Append(0, a)
		for _, b := range append([]Result{a}, results...) {
			n := p.Append(first, b)
			if got := p.Texts(n); len(got) != 2 || got[0] != a.String() || got[1] != b.String() {
				t.Fatalf("got %v, want %v %v", got, a, b)
			}
			seen[n] = true
		}
	}
	if want := 1 + len(results)*len(results); len(seen) != want {
		t.Fatalf("%d numbers, want %d", len(seen), want)
	}
}
