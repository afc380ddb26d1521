// Package treiber is a Treiber stack whose pushes and pops are transactions on a
// key-value store, as in MonkeyDB's experiments (Biswas, Kakwani, Vedurada, Enea,
// Lal, OOPSLA 2021).
package treiber

import (
	"errors"
	"fmt"

	"github.com/txmc/txmc"
)

// head is the key of the name of the top node; "" for an empty stack.
const head = "head"

var errEmpty = errors.New("the stack is empty")

// push puts a node on top: its value, and the node below.
func push(s *txmc.Session, node string) {
	s.Txn("push", func(tx *txmc.Tx) error {
		top, _ := tx.Read(head).(string)
		tx.Write("next/"+node, top)
		tx.Write(head, node)
		return nil
	})
}

func pop(s *txmc.Session) {
	node := ""
	err := s.Txn("pop", func(tx *txmc.Tx) error {
		top, _ := tx.Read(head).(string)
		if top == "" {
			return errEmpty
		}
		node = top
		next, _ := tx.Read("next/" + top).(string)
		tx.Write(head, next)
		return nil
	})
	if err == nil {
		s.Observe("popped", node)
	}
}

// rest is the stack once all have ended, from the top.
func rest(tx *txmc.Tx) []string {
	var nodes []string
	node, _ := tx.Read(head).(string)
	for node != "" && len(nodes) < 10 {
		nodes = append(nodes, node)
		node, _ = tx.Read("next/" + node).(string)
	}
	return nodes
}

func once(p *txmc.Program, nodes ...string) {
	p.Final("rest", func(tx *txmc.Tx) error { rest(tx); return nil })
	p.Invariant("every node is popped or left, once", func(o *txmc.Outcome) error {
		times := map[string]int{}
		for _, s := range o.Sessions {
			for _, v := range s.Observed("popped") {
				times[v.(string)]++
			}
		}
		for _, r := range o.Finals[0].Reads {
			if node, _ := r.Value.(string); node != "" {
				times[node]++
			}
		}
		for _, n := range nodes {
			if times[n] != 1 {
				return txmc.Assertf(false, "node %s is there %d times", n, times[n])
			}
		}
		return nil
	})
}

// ExplorePush: two sessions push.
func ExplorePush(p *txmc.Program) {
	for _, node := range []string{"a", "b"} {
		p.Session("push "+node, func(s *txmc.Session) { push(s, node) })
	}
	once(p, "a", "b")
}

// ExplorePop: two sessions pop from a stack of two.
func ExplorePop(p *txmc.Program) {
	p.Setup(func(tx *txmc.Tx) error {
		tx.Write(head, "b")
		tx.Write("next/b", "a")
		return nil
	})
	for i := range 2 {
		p.Session(fmt.Sprintf("pop%d", i), pop)
	}
	once(p, "a", "b")
}

// ExplorePushPop: one session pushes while another pops what it finds.
func ExplorePushPop(p *txmc.Program) {
	p.Session("push", func(s *txmc.Session) { push(s, "a"); push(s, "b") })
	p.Session("pop", func(s *txmc.Session) { pop(s); pop(s) })
	once(p, "a", "b")
}
