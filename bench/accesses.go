package bench

import (
	"fmt"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/table"
)

// accesses are programs of next to no work. Other tools give their counts at SER too:
// Nidhugg with --sc --rf, where a session is a thread and an access an instruction.
func accesses() []*client.Program {
	app := &client.App{Name: "accesses"}
	var list []*client.Program
	add := func(name string, n int, session func(i int) []client.Call) {
		p := &client.Program{App: app, Name: name}
		for i := range n {
			p.Sessions = append(p.Sessions, session(i))
		}
		list = append(list, p)
	}
	// n sessions increment x k times, in a transaction each.
	fai := func(n, k int) {
		add(fmt.Sprintf("fai %d %d", n, k), n, func(int) (calls []client.Call) {
			for range k {
				calls = append(calls, client.Call{Name: "inc", Body: increment})
			}
			return calls
		})
	}
	// n sessions make two accesses k times, each a transaction: to the next of v
	// variables, and to the one that is off further.
	turns := func(name string, first, second access, off, n, k, v int) {
		add(fmt.Sprintf("%s %d %d %d", name, n, k, v), n, func(i int) (calls []client.Call) {
			for j := range k {
				value := i*k + j + 1
				calls = append(calls, first((i+j)%v, value), second((i+j+off)%v, value))
			}
			return calls
		})
	}
	fai(4, 2)
	fai(5, 2)
	fai(4, 3)
	turns("wr", write, read, 1, 4, 2, 2)
	turns("wr", write, read, 1, 4, 3, 4)
	turns("rw", read, write, 0, 3, 3, 2)
	return list
}

// access makes the transaction that accesses a variable once.
type access func(variable, value int) client.Call

func increment(tx table.Tx) error {
	n, _ := tx.Read("x0").(int)
	tx.Write("x0", n+1)
	return nil
}

func read(variable, _ int) client.Call {
	return client.Call{Name: "read", Body: func(tx table.Tx) error {
		tx.Read(fmt.Sprint("x", variable))
		return nil
	}}
}

func write(variable, value int) client.Call {
	return client.Call{Name: "write", Body: func(tx table.Tx) error {
		tx.Write(fmt.Sprint("x", variable), value)
		return nil
	}}
}
