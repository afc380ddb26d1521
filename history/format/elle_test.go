package format_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/format"
)

// What was begun and not completed is of unknown fate, also when the same process
// goes on, and every transaction has a number of its own.
func TestElleUnfinished(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte(`{:type :invoke :process 0 :f :txn :value [[:append 1 1]]}
{:type :invoke :process 0 :f :txn :value [[:append 1 2]]}
{:type :ok :process 0 :f :txn :value [[:append 1 2]]}
{:type :invoke :process 1 :f :txn :value [[:append 1 3]]}
{:type :invoke :process 2 :f :txn :value [[:append 1 4]]}
`), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := format.ByName("elle")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := f.Read(context.Background(), path, history.Sink{Txn: func(x *history.Txn) error {
		got = append(got, fmt.Sprintf("%s of %s, line %d: %v %v", x.ID, x.Session, x.Line, x.Fate, x.Ops[0].Value))
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 of 0, line 1: unknown 1", "2 of 0, line 3: committed 2", "3 of 1, line 4: unknown 3", "4 of 2, line 5: unknown 4",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// A read of a set reads each element: those that it has, and the others whose addition
// was begun before. Sets beside it are others, and what failed was no addition.
func TestElleSets(t *testing.T) {
	got := ellesOps(t, `{:type :invoke :process 0 :f :add :value 1}
{:type :ok :process 0 :f :add :value 1}
{:type :invoke :process 1 :f :add :value 2}
{:type :invoke :process 0 :f :read}
{:type :ok :process 0 :f :read :value #{1}}
{:type :fail :process 1 :f :add :value 2}
{:type :invoke :process 0 :f :add :value [7 1]}
{:type :info :process 0 :f :add :value [7 1]}
{:type :invoke :process 2 :f :read :value [7 nil]}
{:type :ok :process 2 :f :read :value [3]}
{:type :invoke :process 3 :f :read :value [7 nil]}
{:type :ok :process 3 :f :read :value [7 [1]]}
{:type :invoke :process 3 :f :read}
{:type :ok :process 3 :f :read :value []}
`)
	want := []string{
		"committed w 1 1", "committed r 1 1 r 2 initial", "aborted w 2 2", "unknown w 7/1 1",
		"committed r 7/3 3 r 7/1 initial", "committed r 7/1 1", "committed r 1 initial r 2 initial",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// ellesOps lists the transactions of a history in Jepsen's format.
func ellesOps(t *testing.T, data string) (list []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := format.ByName("elle")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Read(context.Background(), path, history.Sink{Txn: func(x *history.Txn) error {
		line := x.Fate.String()
		for _, o := range x.Ops {
			line += fmt.Sprintf(" %c %s %v", "rwalp"[o.Kind], o.Key, o.Value)
		}
		list = append(list, line)
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	return list
}
