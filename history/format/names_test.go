package format_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/format"
)

// described are the operations of a text, in a format that is named or found out.
func described(t *testing.T, as, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := format.Detect(path)
	if as != "" {
		f, err = format.ByName(as)
	}
	if err != nil {
		return "not read: " + err.Error()
	}
	var ops []string
	err = f.Read(context.Background(), path, history.Sink{Txn: func(x *history.Txn) error {
		for _, o := range x.Ops {
			ops = append(ops, fmt.Sprintf("%s=%v", o.Key, o.Value))
		}
		return nil
	}, Fact: func(history.Fact) error { return nil }})
	if err != nil {
		return "refused: " + strings.ReplaceAll(err.Error(), path, "history")
	}
	return strings.Join(ops, " ")
}

// Keys and values that are equal have one name, and those that are not have two.
func TestNamesOfKeysAndValues(t *testing.T) {
	t.Parallel()
	own := func(ops string) string { return `{"session":"1","id":"1","ops":[` + ops + "]}\n" }
	edn := func(ops string) string {
		return "{:type :invoke, :process 0, :f :txn, :value []}\n{:type :ok, :process 0, :f :txn, :value [" + ops + "]}\n"
	}
	for _, c := range []struct{ as, data, want string }{
		{"", own(`["w",1,5],["r","1",5],["r",1.0,5]`), `1=5 "1"=5 1=5`},
		{"", own(`["r","1",5],["w",1,5],["r","1",6]`), `1=5 1 (number)=5 1=6`},
		{"", own(`["r","\"1\"",5],["r",1,5],["r","1",6]`), `"1"=5 1=5 "1"'=6`},
		{"", own(`["w","x",1.0],["r","x",1],["r","x","1"]`), `x=1 x=1 x="1"`},
		{"", own(`["w","x",1e2],["r","x",100],["r","x",1.50],["r","x",15e-1],["r","x","1.5"]`), `x=100 x=100 x=1.5 x=1.5 x="1.5"`},
		{"", own(`["w","x",true],["r","x","true"],["r","x",-0.0],["r","x",0e99]`), `x=true x="true" x=0 x=0`},
		{"", own(`["w","x",12345678901234567890],["r","x",1.234567890123456789e19]`), `x=1.234567890123456789e19 x=1.234567890123456789e19`},
		{"", own(`["w","x",1e99999999999999999999]`), "refused: history:1: expected a number with a small exponent"},
		{"", edn(`[:w :x 1] [:r "x" 1] [:r 1 1] [:r "1" 1] [:r x 1]`), `x=1 "x"=1 1=1 "1"=1 x=1`},
		{"", edn(`[:w 1 1.0] [:r 1 1M] [:r true 2.5]`), "1=1 1=1 true=2.5"},
		{"elle", `[{"type":"ok","process":0,"value":[["w",1,1],["r","1",1]]}]`, `1=1 "1"=1`},
		{"timekiller", `[{"tid":1,"sid":1,"sts":{"p":1},"cts":{"p":2},"ops":[{"t":"w","k":1,"v":1},{"t":"r","k":"1","v":1}]}]`, `1=1 "1"=1`},
		{"dbcop-json", `{"data":[[{"events":[{"Write":{"variable":1,"version":1}},{"Read":{"variable":"1","version":1}}],"committed":true}]]}`, `1=1 "1"=1`},
	} {
		if got := described(t, c.as, c.data); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.data, got, c.want)
		}
	}
}

// What a decoder would pass over, or take for something else, is refused.
func TestWhatIsNotPlainIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ as, data, want string }{
		{"txmc", `{"session":"1","ops":[["w","x` + "\xff" + `",1]]}`, "refused: history:1: expected UTF-8"},
		{"txmc", `{"session":"1","ops":[["w","x\ud800",1]]}`, `refused: history:1: expected a character, got \ud800`},
		{"txmc", `{"session":"1","ops":[["w","x\ud83d\ude00\\ud800",1]]}`, "x😀\\ud800=1"},
		{"txmc", `{"session":"1","ops":[["w","x",1]],"ops":[["w","x",2]]}`, `refused: history:1: the field "ops" stands twice`},
		{"txmc", `{"session":"1","ops":[["w","x",1]],"\u006fps":[["w","x",2]]}`, `refused: history:1: the field "ops" stands twice`},
		{"txmc", `{"versions":"x","values":[1,2,1.0]}`, "refused: history:1: the value 1 of x stands twice"},
		{"timekiller", `[{"tid":1,"sid":1,"sts":{"p":1},"cts":{"p":2},"ops":[{"t":"w","k":"` + "\xff" + `","v":1}]}]`, "refused: history: byte 0: expected a list of transactions: expected UTF-8"},
		{"timekiller", `[{"tid":1,"sid":1,"sts":{"p":1,"p":3},"cts":{"p":2},"ops":[]}]`, `refused: history: byte 1: the field "p" stands twice`},
		{"elle", `[{"type":"ok","process":0,"type":"fail","value":[]}]`, `refused: history: byte 1: the field "type" stands twice`},
		{"elle", "{:type :ok, :process 0, :type :fail}", "refused: history:1: a map has the key type twice"},
		{"viper", `x`, "refused: history: the format viper"},
	} {
		if got := described(t, c.as, c.data); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.data, got, c.want)
		}
	}
}

// The format is found out of texts that begin unusually.
func TestUnusualBeginnings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ data, want string }{
		{"\ufeff" + `{"session":"1","id":"1","ops":[["w","x",1]]}`, "x=1"},
		{"\ufeffw(1,2,3,4)\n", "1=2"},
		{"#jepsen.history.Op{:type :ok, :f :txn, :value [[:append 0 1]], :process 0, :time 2, :index 1}", "0=1"},
		{"\n---\n[x:=1]\n---\n[x==1]\n", "x=1 x=1"},
		{"-----\n=====\nw x 1\n-----\n", "x=1"},
		{"-----\n=====\n", ""},
	} {
		if got := described(t, "", c.data); got != c.want {
			t.Errorf("%q: got %s, want %s", c.data, got, c.want)
		}
	}
}

// What JSON cannot tell apart is not written.
func TestNamesThatAreNotUTF8AreNotWritten(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"txmc", "dbcop-json", "timekiller"} {
		f, err := format.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		to, _, err := f.Write(&strings.Builder{})
		if err != nil {
			t.Fatal(err)
		}
		x := history.Txn{Session: "1", Timed: true, Ops: []history.Op{{Kind: history.Write, Key: "x\xff", Value: history.Value{Num: 1}}}}
		if err := to.Txn(&x); err == nil || !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
