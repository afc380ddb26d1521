package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/txmc/txmc/history"
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
	f, err := history.ByName("elle")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := f.Read(path, history.Sink{Txn: func(x *history.Txn) error {
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
