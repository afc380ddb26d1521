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

// transactionsOf are the transactions of a text: fate, operations and times.
func transactionsOf(t *testing.T, data string) (list []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := format.Detect(path)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Read(context.Background(), path, history.Sink{Txn: func(x *history.Txn) error {
		text := x.Session + " " + x.Fate.String()
		for _, o := range x.Ops {
			text += fmt.Sprintf(" %s %s=%v", [...]string{"r", "w", "a", "l", "p"}[o.Kind], o.Key, o.Value)
		}
		if !x.Real.Known {
			list = append(list, text)
			return nil
		}
		text += fmt.Sprintf(" from %d", x.Real.Called)
		if x.Real.Returned != history.Never {
			text += fmt.Sprintf(" to %d", x.Real.Returned)
		}
		list = append(list, text)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Registers of Jepsen: one for each key, with cas, in EDN and in its log. Of a cas of unknown fate it is
// known what it has read, if it happened. Where operations have times, one without has none, and not its number.
func TestJepsensRegisters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		data string
		want []string
	}{
		{`{:type :invoke, :f :write, :value [0 1], :process 0, :time 5}
{:type :invoke, :f :cas, :value #jepsen.independent/tuple [0 [1 2]], :process 1, :time 6}
{:type :ok, :f :write, :value [0 1], :process 0, :time 7}
{:type :info, :f :cas, :value [0 [1 2]], :process 1, :time 8}
{:type :invoke, :f :read, :value ["x" nil], :process 0, :time 9}
{:type :ok, :f :read, :value ["x" 3], :process 0, :time 10}`,
			[]string{"0 committed w 0=1 from 5 to 7", "1 unknown r 0=1 w 0=2 from 6", "0 committed r x=3 from 9 to 10"}},
		{`{:type :invoke, :f :read-init, :value [7 nil], :process 0}
{:type :ok, :f :read-init, :value [7 0], :process 0}
{:type :invoke, :f :write, :value [7 1], :process 0}
{:type :info, :f :write, :value nil, :process 0}`,
			[]string{"0 committed r 7=initial from 0 to 1", "0 unknown w 7=1 from 2"}},
		{`{:type :invoke, :f :cas, :value [1 2], :process 0}
{:type :info, :f :cas, :value [1 2], :process 0}
{:type :invoke, :f :txn, :value [[:r x nil] [:w y 2]], :process 1}
{:type :info, :f :txn, :value [[:r x 1] [:w y 2]], :process 1}`,
			[]string{"0 unknown r register=1 w register=2 from 0", "1 unknown w y=2 from 2"}},
		{`{:type :invoke, :f :write, :value 1, :process 0, :time 70}
{:type :ok, :f :write, :value 1, :process 0}
{:type :invoke, :f :write, :value 2, :process 0}
{:type :ok, :f :write, :value 2, :process 0, :time 90}
{:type :invoke, :f :write, :value 3, :process 0, :time 95}
{:type :ok, :f :write, :value 3, :process 0, :time 99}`,
			[]string{"0 committed w register=1", "0 committed w register=2", "0 committed w register=3 from 95 to 99"}},
		{"INFO  jepsen.core - Worker 0 starting\nINFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]\nINFO  jepsen.util - 1  :invoke :write  3\n" +
			"INFO  jepsen.util - 0\t:info\t:cas\t:timed-out\nINFO  jepsen.util - 1\t:info\t:write\t:timed-out\n" +
			"INFO  jepsen.util - 2\t:invoke\t:read\tnil\nINFO  jepsen.util - 2\t:fail\t:read\t:timed-out\n",
			[]string{"0 unknown r register=1 w register=2 from 0", "1 unknown w register=3 from 1", "2 aborted from 4"}},
	} {
		if got := transactionsOf(t, c.data); !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.data, got, c.want)
		}
	}
}
