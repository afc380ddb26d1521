package seen

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/program/rows"
)

var account = &access.Table{Name: "account", Columns: []*access.Column{{Name: "id"}, {Name: "balance"}}, Unique: [][]int{{0}}}

// effects are those of statements in a small language: a word for what is done, and what the
// columns id and balance are.
func effects(sql string) (*access.Effect, error) {
	words := strings.Fields(sql)
	kinds := map[string]access.Kind{"get": access.Read, "put": access.Update, "new": access.Insert}
	kind, ok := kinds[words[0]]
	if !ok {
		return nil, errors.New("no such statement")
	}
	operand := func(w string) access.Operand {
		if n, ok := strings.CutPrefix(w, "$"); ok {
			return access.Operand{Param: int(n[0] - '0'), Known: true}
		}
		return access.Operand{Const: w, Known: true}
	}
	a := &access.Access{Table: account, Kind: kind, Columns: []int{1}, Bound: map[int]access.Operand{0: operand(words[1])}, Exact: true}
	if len(words) > 2 {
		a.Sets = map[int]access.Operand{1: operand(words[2])}
	}
	return &access.Effect{Accesses: []*access.Access{a}}, nil
}

// run is a run with arguments a=1 and so on, that has sent statements at lines: "7 put $1|5".
func run(given string, sent ...string) Run {
	r := Run{Given: map[string]string{}}
	for _, g := range strings.Fields(given) {
		name, value, _ := strings.Cut(g, "=")
		r.Given[name] = value
	}
	for _, s := range sent {
		line, sql, _ := strings.Cut(s, " ")
		sql, args, has := strings.Cut(sql, "|")
		x := rows.Sent{At: "app.go:" + line, SQL: sql, Function: "F"}
		if has {
			x.Args = strings.Split(args, ",")
		}
		r.Sent = append(r.Sent, x)
	}
	return r
}

// words are the transactions of a call, with what is known of their statements.
func words(c *Call) string {
	var b strings.Builder
	for _, t := range c.Transactions {
		fmt.Fprintf(&b, "%s auto=%v %s\n", t.At, t.Auto, t.Level)
		for _, s := range t.Statements {
			fmt.Fprintf(&b, "  %d %s %s %v", s.Number, s.At, s.SQL, s.Args)
			if s.Loop {
				b.WriteString(" repeatedly")
			}
			if e := c.Effects[s]; e != nil {
				for _, set := range []map[int]access.Operand{e.Accesses[0].Bound, e.Accesses[0].Sets} {
					for _, k := range slices.Sorted(maps.Keys(set)) {
						fmt.Fprintf(&b, " %s=%s$%d", account.Columns[k].Name, set[k].Const, set[k].Param)
					}
				}
			}
			b.WriteString("\n")
		}
	}
	for _, p := range c.Unknown {
		fmt.Fprintf(&b, "%s %s\n", p.At, p.What)
	}
	return b.String()
}

// What a call has sent in several runs: what is an argument, a constant, or neither; what is in
// the text and what is a parameter; statements that not every run sends; levels.
func TestAdd(t *testing.T) {
	for _, c := range []struct {
		name string
		runs []Run
		want string
	}{
		{"an argument is equal in all runs, and was different", []Run{
			run("id=2 n=44", "5 begin", "6 get $1|2", "7 put $1 $2|2,1044", "5 commit"),
			run("id=9 n=57", "5 begin", "6 get $1|9", "7 put $1 $2|9,2057", "5 commit"),
		}, `app.go:5 auto=false 
  0 app.go:6 get $1 [id] id=$1
  1 app.go:7 put $1 $2 [id ?] id=$1 balance=$2
`},
		{"of one run nothing is known", []Run{run("id=2", "6 get $1|2")}, `app.go:6 auto=true 
  0 app.go:6 get $1 [?] id=$1
`},
		{"what is equal by chance in one run is not in the other", []Run{
			run("id=2 n=2", "6 get $1|2"), run("id=9 n=57", "6 get $1|9"),
		}, `app.go:6 auto=true 
  0 app.go:6 get $1 [id] id=$1
`},
		{"the same run once more says nothing more", []Run{run("id=2", "6 get $1|2"), run("id=2", "6 get $1|2")}, `app.go:6 auto=true 
  0 app.go:6 get $1 [?] id=$1
`},
		{"two arguments that cannot be told apart", []Run{
			run("id=2 n=2", "6 get $1|2"), run("id=9 n=9", "6 get $1|9"),
		}, `app.go:6 auto=true 
  0 app.go:6 get $1 [(id or n)] id=$1
`},
		{"arguments in the text, and constants", []Run{
			run("id=2 n=44", "6 put 2 7"), run("id=9 n=57", "6 put 9 7"),
		}, `app.go:6 auto=true 
  0 app.go:6 put 2 7 [id] id=$1 balance=7$0
`},
		{"a constant that is sent as a parameter", []Run{
			run("id=2", "6 put $1 $2|2,'open'"), run("id=9", "6 put $1 $2|9,'open'"),
		}, `app.go:6 auto=true 
  0 app.go:6 put $1 $2 [id "open"] id=$1 balance=$2
`},
		{"what one run sends between two others, and levels", []Run{
			run("id=2", "5 begin isolation level repeatable read", "6 get $1|2", "8 new $1|2", "5 commit"),
			run("id=9", "5 begin isolation level repeatable read", "6 get $1|9", "7 put $1|9", "8 new $1|9", "5 rollback"),
			run("id=9", "4 SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "5 START TRANSACTION", "6 get $1|9", "6 savepoint a", "6 rollback to a", "8 new $1|9", "5 commit", "9 put $1|9"),
		}, `app.go:5 auto=false ser
  0 app.go:6 get $1 [id] id=$1
  1 app.go:7 put $1 [?] id=$1
  2 app.go:8 new $1 [id] id=$1
app.go:9 auto=true 
  0 app.go:9 put $1 [?] id=$1
`},
		{"a loop, and a statement that is not understood", []Run{
			run("id=2", "5 begin", "6 get $1|2", "6 get $1|3", "7 select nothing", "7 show all", "5 commit"),
			run("id=9", "5 begin", "6 get $1|9", "5 commit"),
		}, `app.go:5 auto=false 
  0 app.go:6 get $1 [?] repeatedly id=$1
app.go:7 what a run has sent is not understood: no such statement
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := New(&source.Call{})
			if !call.Add(c.runs, effects) {
				t.Error("nothing was seen")
			}
			if call.Add(c.runs[:1], effects) {
				t.Error("the same again is said to be more")
			}
			call = New(&source.Call{})
			call.Add(c.runs, effects)
			if diff := gocmp.Diff(c.want, words(call)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Statements that the source tells stay as they are; others go where they were sent.
func TestAddToSource(t *testing.T) {
	call := &source.Call{}
	tx := &source.Transaction{Call: call, At: "app.go:5"}
	for i, sql := range []string{"get $1", "put $1"} {
		tx.Statements = append(tx.Statements, &source.Statement{Transaction: tx, Number: i, SQL: sql, At: fmt.Sprintf("app.go:%d", 6+2*i)})
	}
	call.Transactions = []*source.Transaction{tx}
	c := New(call)
	c.Add([]Run{run("id=2", "5 begin", "6 get $1|2", "7 new $1|2", "8 put $1|2", "5 commit"), run("id=9", "5 begin", "6 get $1|9", "7 new $1|9", "5 commit")}, effects)
	const want = `app.go:5 auto=false 
  0 app.go:6 get $1 []
  1 app.go:7 new $1 [id] id=$1
  2 app.go:8 put $1 []
`
	if diff := gocmp.Diff(want, words(c)); diff != "" {
		t.Error(diff)
	}
	if tx.Statements[0].Seen || !tx.Statements[1].Seen {
		t.Error("which were seen in a run is wrong")
	}
}
