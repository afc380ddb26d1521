package format_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/history/workload"
	"github.com/txmc/txmc/isolation"
	"pgregory.net/rapid"
)

// told is a history in memory, without the places where it stands.
type told struct {
	Txns  []history.Txn
	Facts []history.Fact
}

func (h *told) sink() history.Sink {
	return history.Sink{Txn: func(t *history.Txn) error {
		c := *t
		c.File, c.Line, c.Byte = "", 0, 0
		c.Ops = slices.Clone(t.Ops)
		h.Txns = append(h.Txns, c)
		return nil
	}, Fact: func(f history.Fact) error { h.Facts = append(h.Facts, f); return nil }}
}

// writeTo gives a history to a sink.
func (h *told) writeTo(t rapid.TB, to history.Sink, end func() error) {
	for i := range h.Txns {
		if err := to.Txn(&h.Txns[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range h.Facts {
		if err := to.Fact(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
}

// through writes a history in a format and reads the file again, whose format is to
// be detected.
func through(t rapid.TB, h *told, as, path string) *told {
	f, err := format.ByName(as)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	to, end, err := f.Write(&b)
	if err != nil {
		t.Fatal(err)
	}
	h.writeTo(t, to, end)
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if detected, err := format.Detect(path); err != nil || detected.Name != as {
		t.Fatalf("detected %v, %v, want %s", detected, err, as)
	}
	var again told
	if err := f.Read(context.Background(), path, again.sink()); err != nil {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	return &again
}

// What is written is read again, in every format that can be written: the fates and
// operations of each session, and times where the format has them.
func TestRoundTrips(t *testing.T) {
	for _, f := range format.Formats() {
		if !f.CanWrite() {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			c := workload.Config{Sessions: 5, Txns: 30, Ops: 6, Reads: 0.5, Keys: 20, Level: isolation.SI, VersionOrder: f.Name == "txmc"}
			r := workload.Recording{Timed: f.Name == "timekiller" || f.Name == "txmc"}
			switch f.Name {
			case "txmc", "elle":
				c.Unknowns, c.Aborts = 0.1, 0.1
			case "plume": // aborted transactions in a row are one to it
				r.Committed = true
			case "awdit":
				r.Sorted, r.Committed, r.Written = true, true, true
			case "timekiller":
				r.Committed = true
			default:
				c.Aborts = 0.1
			}
			g, err := workload.New(c)
			if err != nil {
				t.Fatal(err)
			}
			var h told
			if err := g.Record(t.Context(), r, h.sink()); err != nil {
				t.Fatal(err)
			}
			again := through(t, &h, f.Name, filepath.Join(t.TempDir(), "history"))
			if f.Name == "txmc" {
				if d := cmp.Diff(&h, again); d != "" {
					t.Fatal(d)
				}
				return
			}
			want, got := bySession(f.Name, h.Txns), bySession(f.Name, again.Txns)
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// bySession lists the transactions of each session, under names that every format
// keeps. Sessions and keys are numbered in the order in which they are seen. The keys
// of a session come after those of the sessions before.
func bySession(as string, txns []history.Txn) [][]history.Txn {
	var sessions [][]history.Txn
	number := map[string]int{}
	for _, t := range txns {
		n, ok := number[t.Session]
		if !ok {
			n = len(sessions)
			number[t.Session] = n
			sessions = append(sessions, nil)
		}
		t.Session, t.ID, t.Real = strconv.Itoa(n), "", history.Interval{}
		if as == "elle" && t.Fate != history.Committed { // only writes are told
			t.Ops = slices.DeleteFunc(slices.Clone(t.Ops), func(o history.Op) bool { return o.Kind == history.Read })
		}
		if len(t.Ops) == 0 {
			t.Ops = nil
		}
		sessions[n] = append(sessions[n], t)
	}
	keys := map[string]int{}
	for _, s := range sessions {
		for _, t := range s {
			for i := range t.Ops {
				n, ok := keys[t.Ops[i].Key]
				if !ok {
					n = len(keys)
					keys[t.Ops[i].Key] = n
				}
				t.Ops[i].Key = strconv.Itoa(n)
			}
		}
	}
	slices.SortFunc(sessions, func(a, b []history.Txn) int { return len(b) - len(a) })
	return sessions
}

// The own format tells everything that a history can hold.
func TestOwnFormatTellsAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[a-z0-9:"\\ é]{0,4}`)
		value := rapid.Custom(func(t *rapid.T) history.Value {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				return history.Value{Num: rapid.Int64().Draw(t, "number")}
			case 1:
				return history.Value{Kind: history.Text, Text: key.Draw(t, "text")}
			case 2:
				return history.Value{Kind: history.Literal, Text: rapid.SampledFrom([]string{"true", "false", "1.5", "-1e30"}).Draw(t, "literal")}
			}
			return history.Value{Kind: history.Initial}
		})
		version := rapid.Custom(func(t *rapid.T) history.Version {
			return history.Version{Key: key.Draw(t, "key"), Value: value.Draw(t, "value")}
		})
		some := func() []history.Version { return rapid.SliceOfN(version, 0, 3).Draw(t, "versions") }
		var h told
		for range rapid.IntRange(1, 5).Draw(t, "transactions") {
			x := history.Txn{Session: key.Draw(t, "session"), ID: key.Draw(t, "id"), Fate: history.Fate(rapid.IntRange(0, 2).Draw(t, "fate"))}
			if x.Timed = rapid.Bool().Draw(t, "timed"); x.Timed {
				x.Start, x.Commit = rapid.Int64().Draw(t, "start"), rapid.Int64().Draw(t, "commit")
			}
			if x.Real.Known = rapid.Bool().Draw(t, "real"); x.Real.Known {
				x.Real.Events, x.Real.Called, x.Real.Returned = rapid.Bool().Draw(t, "events"), rapid.Int64Range(-9, 9).Draw(t, "called"), history.Never
				if rapid.Bool().Draw(t, "returned") {
					x.Real.Returned = rapid.Int64Range(9, 20).Draw(t, "returned at")
				}
			}
			for range rapid.IntRange(0, 4).Draw(t, "operations") {
				o := history.Op{Kind: history.Kind(rapid.IntRange(0, 4).Draw(t, "kind"))}
				switch o.Kind {
				case history.Predicate:
					o.Where = &history.Where{Matches: some(), Saw: some(), Result: some()}
					if rapid.Bool().Draw(t, "named") {
						o.Where.Name, o.Where.Matches = "grp = 1", nil
						o.Where.Snapshot = rapid.SliceOfN(rapid.Int64(), 1, 2).Draw(t, "snapshot")
					}
				case history.ReadList:
					o.Key, o.List = key.Draw(t, "key"), rapid.SliceOfN(value, 0, 3).Draw(t, "list")
				default:
					o.Key, o.Value = key.Draw(t, "key"), value.Draw(t, "value")
				}
				x.Ops = append(x.Ops, o)
			}
			h.Txns = append(h.Txns, x)
		}
		if rapid.Bool().Draw(t, "facts") {
			h.Facts = []history.Fact{{Key: key.Draw(t, "key"), Versions: rapid.SliceOfNDistinct(value, 1, 3, rapid.ID[history.Value]).Draw(t, "order")},
				{Serial: rapid.SliceOfN(key, 1, 3).Draw(t, "serial")},
				{Where: "grp = 1", Matches: some()},
				{Deleted: []history.Deletion{{Version: version.Draw(t, "deleted"), At: rapid.Int64().Draw(t, "at")}}}}
		}
		again := through(t, &h, "txmc", path)
		if d := cmp.Diff(&h, again, emptyIsNil); d != "" {
			t.Fatal(d)
		}
	})
}

var emptyIsNil = cmp.FilterValues(func(a, b any) bool { return empty(a) && empty(b) }, cmp.Ignore())

func empty(v any) bool {
	switch v := v.(type) {
	case []history.Value:
		return len(v) == 0
	case []history.Version:
		return len(v) == 0
	case []history.Op:
		return len(v) == 0
	}
	return false
}

// Compression is undone whatever the file is called.
func TestCompressed(t *testing.T) {
	plain, err := os.ReadFile("testdata/plume.txt")
	if err != nil {
		t.Fatal(err)
	}
	var zipped, zstandard bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(plain)
	z.Close()
	s, err := zstd.NewWriter(&zstandard)
	if err != nil {
		t.Fatal(err)
	}
	s.Write(plain)
	s.Close()
	f, err := format.ByName("plume")
	if err != nil {
		t.Fatal(err)
	}
	want := own(t, "testdata/plume.txt", f)
	for name, data := range map[string][]byte{"gzip": zipped.Bytes(), "zstd": zstandard.Bytes()} {
		path := filepath.Join(t.TempDir(), "history")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if d, err := format.Detect(path); err != nil || d != f {
			t.Errorf("%s: detected %v, %v", name, d, err)
		}
		if got := own(t, path, f); !bytes.Equal(want, got) {
			t.Errorf("%s: got %s", name, got)
		}
		if err := os.WriteFile(path, data[:len(data)-10], 0o666); err != nil {
			t.Fatal(err)
		}
		if err := f.Read(context.Background(), path, (&told{}).sink()); err == nil {
			t.Errorf("%s: a file that ends early is read", name)
		}
	}
}
