package vet

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// stray finds a Tx that is used after the end of its transaction, or by another party
// than the transaction's own. It also finds a Session that another party uses.
func (x *inspection) stray() {
	for _, f := range x.reached {
		for in := range instructions(f) {
			c, ok := in.(*ssa.Call)
			if !ok {
				continue
			}
			x.strayClosure(c)
			for _, a := range c.Common().Args {
				switch {
				case isHandle(a.Type(), "Tx"):
					x.strayTx(c, a)
				case isHandle(a.Type(), "Session"):
					x.straySession(c, a)
				}
			}
		}
	}
}

// strayTx looks where the Tx that is used comes from.
func (x *inspection) strayTx(use *ssa.Call, tx ssa.Value) {
	_, name := kindOf(use.Common())
	if name == "Tx.Rollback" || name == "Tx.Name" {
		return // allowed after the end
	}
	if ended := x.endedBefore(use, tx); ended != nil {
		x.report(strayTx, x.at(use), Problem{
			fmt.Sprintf("this uses a Tx that has ended at %s", x.line(x.at(ended))),
			"exploration stops with an error there",
			"move it before the end, or begin another transaction",
		})
		return
	}
	load, ok := tx.(*ssa.UnOp)
	if !ok {
		return
	}
	for _, from := range x.kept(load.X) {
		if len(from) == 0 || slices.ContainsFunc(from, func(s *ssa.Store) bool { return x.open(s, use) }) {
			continue
		}
		x.report(strayTx, x.at(use), Problem{
			fmt.Sprintf("this uses the Tx of another transaction, kept at %s", x.line(x.at(from[0]))),
			"exploration stops with an error there",
			"use the Tx that the function of this transaction gets",
		})
		return
	}
}

// kept are the stores to the variables whose address addr is, but for those of
// nil; of a field those to that field of the same variable.
func (x *inspection) kept(addr ssa.Value) [][]*ssa.Store {
	var list [][]*ssa.Store
	for _, c := range x.cells(addr) {
		list = append(list, slices.DeleteFunc(slices.Clone(x.stores[c]), null))
	}
	field, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return list
	}
	for _, r := range x.roots(field.X) {
		if _, local := r.Value.(*ssa.Alloc); !local {
			return nil // of somebody's, who may have set it
		}
	}
	var same []*ssa.Store
	for _, f := range x.reached {
		for in := range instructions(f) {
			s, ok := in.(*ssa.Store)
			if !ok || null(s) {
				continue
			}
			if to, ok := s.Addr.(*ssa.FieldAddr); ok && to.Field == field.Field && types.Identical(to.X.Type(), field.X.Type()) {
				same = append(same, s)
			}
		}
	}
	return append(list, same)
}

func null(s *ssa.Store) bool {
	k, ok := s.Val.(*ssa.Const)
	return ok && k.IsNil()
}

// strayClosure finds calls of functions that a transaction has left behind, with
// its Tx in them.
func (x *inspection) strayClosure(call *ssa.Call) {
	load, ok := call.Call.Value.(*ssa.UnOp)
	if !ok || call.Call.IsInvoke() {
		return
	}
	for _, c := range x.cells(load.X) {
		for _, s := range x.stores[c] {
			mk, ok := s.Val.(*ssa.MakeClosure)
			if !ok {
				return
			}
			for _, b := range mk.Bindings {
				tx := x.transactionOf(b)
				if tx == nil || x.reach([]*ssa.Function{tx}, x.once)[call.Parent()] {
					continue
				}
				x.report(strayTx, x.at(call), Problem{
					fmt.Sprintf("this calls a function that uses the Tx of another transaction, kept at %s", x.line(x.at(s))),
					"exploration stops with an error there",
					"give the function the Tx as a parameter",
				})
				return
			}
		}
	}
}

// transactionOf is the function whose parameter the Tx in a captured variable is,
// or nil.
func (x *inspection) transactionOf(captured ssa.Value) *ssa.Function {
	for _, c := range x.cells(captured) {
		for _, s := range x.stores[c] {
			if p, ok := s.Val.(*ssa.Parameter); ok && isHandle(p.Type(), "Tx") {
				return p.Parent()
			}
		}
	}
	return nil
}

// open reports whether the Tx that s stores may still be open at use. It may be where
// its transaction's function, or the function that began it, is around the use or calls
// it.
func (x *inspection) open(s *ssa.Store, use *ssa.Call) bool {
	p, param := s.Val.(*ssa.Parameter)
	if !param {
		// From Begin: in the same party it may be open.
		return x.sameParty(s.Parent(), use.Parent())
	}
	return x.reach([]*ssa.Function{p.Parent()}, x.once)[use.Parent()]
}

// sameParty reports whether a party runs both functions.
func (x *inspection) sameParty(f, g *ssa.Function) bool {
	if f == g {
		return true
	}
	for _, p := range x.parties {
		if p.code[f] && p.code[g] {
			return true
		}
	}
	return !slices.ContainsFunc(x.parties, func(p *party) bool { return p.code[f] || p.code[g] })
}

// endedBefore returns the Commit or Rollback of tx that comes before use on every
// way there.
func (x *inspection) endedBefore(use *ssa.Call, tx ssa.Value) *ssa.Call {
	refs := tx.Referrers()
	if refs == nil {
		return nil
	}
	for _, r := range *refs {
		c, ok := r.(*ssa.Call)
		if !ok || c == use || c.Parent() != use.Parent() {
			continue
		}
		if kind, _ := kindOf(c.Common()); kind == end && c.Common().Args[0] == tx && before(c, use) {
			return c
		}
	}
	return nil
}

// before reports whether a comes before b on every way to b.
func before(a, b ssa.Instruction) bool {
	if a.Block() != b.Block() {
		return a.Block().Dominates(b.Block())
	}
	return slices.Index(a.Block().Instrs, a) < slices.Index(b.Block().Instrs, b)
}

// straySession finds a Session that another session has put into a variable.
func (x *inspection) straySession(use *ssa.Call, s ssa.Value) {
	load, ok := s.(*ssa.UnOp)
	if !ok {
		return
	}
	for _, c := range x.cells(load.X) {
		stores := x.stores[c]
		for _, st := range stores {
			if _, param := st.Val.(*ssa.Parameter); !param {
				return
			}
		}
		if len(stores) == 0 || slices.ContainsFunc(stores, func(st *ssa.Store) bool { return x.sameParty(st.Parent(), use.Parent()) }) {
			continue
		}
		x.report(strayTx, x.at(use), Problem{
			fmt.Sprintf("this uses the Session of another session, kept at %s", x.line(x.at(stores[0]))),
			"a Session works in its own session alone, and exploration stops with an error",
			"use the Session that the function of this session gets",
		})
		return
	}
}
