package format_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/format"
)

// Errors say where, and what was expected.
func TestErrors(t *testing.T) {
	for _, x := range []struct{ format, data, want string }{
		{"plume", "w(1,2,3,4)\nw(1,2,3)\n", "history:2: expected four fields"},
		{"plume", "w(1,2,3,x)\n", "history:1: expected the number of a transaction"},
		{"plume", "w(1,2,0,4)\nw(1,3,1,5)\nw(1,4,0,4)\n", "history:3: transaction 4 goes on"},
		{"awdit", "w 1 2\nx 1 2\n", "history:2: expected r key value"},
		{"awdit", "w 1\n", "history:1: expected"},
		{"dbcop-text", "[x:=1]\n[y=2]\n", "history:2: expected"},
		{"dbcop-text", "[x:=1\n", "history:1: expected transactions in [ and ]"},
		{"txmc", `{"session":"a","ops":[["w","x",1]]}` + "\n" + `{"session":"a","ops":[["q","x",1]]}`, `history:2: expected r, w, a, l or p as an operation, got "q"`},
		{"txmc", `{"session":"a","op":[]}`, "history:1: expected a transaction or a fact"},
		{"txmc", `{"session":"a","fate":"lost","ops":[]}`, `history:1: expected the fate committed, aborted or unknown, got "lost"`},
		{"txmc", `{"session":"a","ops":[]}{"session":"b","ops":[]}`, "history:1: expected one transaction or fact in a line"},
		{"txmc", `{"session":"a","ops":[]} // of the first`, "history:1: expected one transaction or fact in a line"},
		{"txmc", `{"session":"a","start":1,"ops":[]}`, "history:1: expected both start and commit"},
		{"dbcop", "\x01\x00", "byte 0: expected 8 more bytes"},
		{"dbcop", strings.Repeat("\x00", 8*8) + strings.Repeat("\x01\x00\x00\x00\x00\x00\x00\x00", 3) + "\x01" + strings.Repeat("\x00", 16) + "\x01\x02", "byte 106: "},
		{"elle", "{:type :ok :process 0 :value [[:append 1 1]]}\n{:type :ok :value [[:frob 1 1]]}", "history:2: expected append, r, w"},
		{"elle", "{:type :invoke :process 0 :f :transfer :value {:from 1 :to 2 :amount 3}}", "history:1: the operation transfer is not made of reads, writes and appends: of the tests of Jepsen and Elle list-append"},
		{"elle", "{:type :invoke :process 0 :f :read}\n{:type :ok :process 0 :f :read :value {0 10, 1 20}}", "history:2: the operation read is not"},
		{"elle", "{:type :ok :value [[:append 1", "history:1"},
		{"elle", "{:type :ok :process 0 :f :add :value 1}\n{:type :ok :process 0 :f :add :value 1}", "history:2: the operation add adds 1 a second time, as to a counter"},
		{"elle", "{:type :ok :process 0 :f :add :value 1}\n{:type :ok :process 0 :f :read :value 1}", "history:2: the operation read is not one of a set but of a sum"},
		{"elle", "{:type :ok :process 0 :f :add :value {}}", "history:1: the operation add has no element"},
		{"elle", "{:type :ok :value " + strings.Repeat("[", 100), "history:1: collections are nested more than 64 deep"},
		{"elle", `[{"type":"invoke"},{"type":"ok","process":1,"value":[["frob",1,2]]}]`, "byte 18: expected append, r, w"},
		{"timekiller", `[{"tid":1,"sid":1,"ops":[{"t":"x","k":1,"v":2}]}]`, "byte"},
		{"elle-text", "0 1 R 253 2 1\n", "history:1: expected"},
		{"dbcop-json", `{"data":[[{"events":[{"Wrote":{}}],"committed":true}]]}`, "byte"},
		{"dbcop-yaml", "- - events:\n    - write: 7\n", "line 2"},
	} {
		err := readText(t, x.format, x.data)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s of %q: got %v, want %q", x.format, x.data, err, x.want)
		}
	}
}

func readText(t testing.TB, as, data string) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := format.ByName(as)
	if err != nil {
		t.Fatal(err)
	}
	return f.Read(context.Background(), path, history.Sink{Txn: func(*history.Txn) error { return nil }})
}

// Every file that ends early is an error or a shorter history, at every byte.
func TestTruncated(t *testing.T) {
	for name, as := range inputs {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			continue // a folder
		}
		failed := 0
		for n := range len(data) {
			if readText(t, as, string(data[:n])) != nil {
				failed++
			}
		}
		if failed == 0 {
			t.Errorf("%s: no beginning of the file is refused", name)
		}
	}
}

// A sink that fails ends the reading with its error.
func TestSinkFails(t *testing.T) {
	full := errors.New("full")
	for name, as := range inputs {
		f, err := format.ByName(as)
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		err = f.Read(context.Background(), filepath.Join("testdata", name), history.Sink{Txn: func(*history.Txn) error { calls++; return full }})
		if !errors.Is(err, full) || calls != 1 {
			t.Errorf("%s: %v after %d calls", name, err, calls)
		}
	}
}

// What claims to be huge does not take the memory that it claims.
func TestHugeClaims(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	counts := strings.Repeat("\xff\xff\xff\xff\xff\xff\xff\x7f", 5)
	for _, x := range []struct{ format, data string }{
		{"dbcop", counts + counts},
		{"dbcop", strings.Repeat("\x00", 64) + strings.Repeat("\xff\xff\xff\xff\xff\xff\xff\x0f", 8)},
		{"elle-text", "0 1 R 253 999999999999 1\n"},
		{"elle", strings.Repeat("[", 1<<20)},
		{"elle", "{:type :ok :value " + strings.Repeat("[", 1<<20)},
		{"elle", `[{"type":"ok","value":` + strings.Repeat("[", 1<<20)},
		{"dbcop-json", `{"data":` + strings.Repeat("[", 1<<20)},
		{"timekiller", strings.Repeat("[", 1<<20)},
		{"txmc", `{"session":` + strings.Repeat("[", 1<<20)},
		{"dbcop-yaml", "- - events:\n    - &a [x,x,x,x,x,x,x,x,x]\n    - &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n    - &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"},
	} {
		if err := readText(t, x.format, x.data); err == nil {
			t.Errorf("%s: %.40q is read", x.format, x.data)
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<29 {
		t.Errorf("took %d MB", took>>20)
	}
}

// zeros is an endless line.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A line without end is refused before it takes all memory.
func TestEndlessLine(t *testing.T) {
	if !*long {
		t.Skip("reads 65 MB")
	}
	path := filepath.Join(t.TempDir(), "history")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(f, zeros{}, 65<<20); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, name := range []string{"plume", "awdit", "txmc", "elle-text", "dbcop-text"} {
		as, err := format.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := as.Read(context.Background(), path, history.Sink{}); err == nil || !strings.Contains(err.Error(), "longer than") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A JSON value without end is refused before it takes all memory.
func TestEndlessValue(t *testing.T) {
	if !*long {
		t.Skip("reads 200 MB")
	}
	long := strings.Repeat("a", 70<<20)
	for _, x := range []struct{ format, head string }{
		{"timekiller", `[{"tid":"`},
		{"dbcop-json", `{"data":[[{"events":"`},
		{"elle", `[{"type":"`},
	} {
		if err := readText(t, x.format, x.head+long); err == nil || !strings.Contains(err.Error(), "longer than") {
			t.Errorf("%s: %v", x.format, err)
		}
	}
}

// The same for an operation with values without end.
func TestEndlessOperation(t *testing.T) {
	if !*long {
		t.Skip("reads some MB")
	}
	if err := readText(t, "elle", "{:type :ok :value ["+strings.Repeat("a ", 3<<20)); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Error(err)
	}
}

// Reads of sets grow with the square of the file, up to a bound.
func TestManyElements(t *testing.T) {
	if !*long {
		t.Skip("-long reads it: seconds")
	}
	const many = 4200
	var b strings.Builder
	for i := range many {
		fmt.Fprintf(&b, "{:type :ok :process 0 :f :add :value %d}\n", i)
	}
	b.WriteString(strings.Repeat("{:type :ok :process 0 :f :read :value []}\n", many))
	if err := readText(t, "elle", b.String()); err == nil || !strings.Contains(err.Error(), "which is too much") {
		t.Error(err)
	}
}
