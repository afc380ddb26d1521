package vet

import (
	"fmt"

	"golang.org/x/tools/go/ssa"
)

// drops finds errors of transactions that are not even assigned to _, where the
// session goes on, and assertions whose error nobody gets.
func (x *inspection) drops() {
	for _, f := range x.reached {
		for in := range instructions(f) {
			c, ok := in.(*ssa.Call)
			if !ok || !x.bare[x.calls[c.Call.Pos()]] {
				continue
			}
			if name := asserts(c); name != "" {
				x.report(dropped, x.at(in), Problem{
					"the error that txmc." + name + " returns is dropped",
					"nothing is asserted: the program passes whatever the condition says",
					"return it from the transaction, the Final or the Invariant, or call s." + name + " in a session",
				})
				continue
			}
			if !x.fails(c) {
				continue
			}
			if next := x.after(c); next != nil {
				x.report(dropped, x.at(in), Problem{
					"the error of this transaction is dropped",
					fmt.Sprintf("when it aborts, the session goes on at %s as if it had committed", x.line(x.at(next))),
					"look at the error, or write _ = when it does not matter",
				})
			}
		}
	}
}

// asserts is the function that makes an error of an assertion, Assert or Assertf, "" when the
// call is of another one.
func asserts(c *ssa.Call) string {
	f := c.Call.StaticCallee()
	if f == nil {
		return ""
	}
	if _, name := apiCall(object(f)); name == "Assert" || name == "Assertf" {
		return name
	}
	return ""
}

// fails reports whether a call returns the error of a transaction that has one.
func (x *inspection) fails(c *ssa.Call) bool {
	if t := c.Type(); isError(t) {
		return x.fromTxn(c)
	}
	return false
}

// after returns an operation of the session that may follow c in its function,
// other than c itself in the next round of a loop.
func (x *inspection) after(c *ssa.Call) ssa.Instruction {
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock, from int) ssa.Instruction
	visit = func(b *ssa.BasicBlock, from int) ssa.Instruction {
		for _, in := range b.Instrs[from:] {
			next, ok := in.(*ssa.Call)
			if !ok || next == c {
				continue
			}
			if kind, _ := kindOf(next.Common()); kind == begin || kind == record || kind == foreign && x.effect(next.Common()).Begins {
				return next
			}
		}
		for _, s := range b.Succs {
			if seen[s] {
				continue
			}
			seen[s] = true
			if found := visit(s, 0); found != nil {
				return found
			}
		}
		return nil
	}
	for i, in := range c.Block().Instrs {
		if in == c {
			return visit(c.Block(), i+1)
		}
	}
	return nil
}
