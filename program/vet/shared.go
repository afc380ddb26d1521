package vet

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// use is how parties use a variable of the code that declares them. The elements
// of a slice or array are told from the whole: sessions may have one each.
type use struct {
	variable *ssa.Alloc
	writers  []*party
	users    []*party // the writers included
	at       token.Pos
	element  bool
}

// memory is a variable, or its elements.
type memory struct {
	variable *ssa.Alloc
	element  bool
}

// findShared finds variables that one party writes and another uses.
func (x *inspection) findShared() {
	called := x.newCallers()
	uses := map[memory]*use{}
	var order []*use
	of := func(p memory) *use {
		u := uses[p]
		if u == nil {
			u = &use{variable: p.variable, element: p.element}
			uses[p] = u
			order = append(order, u)
		}
		return u
	}
	for _, p := range x.parties {
		for _, f := range x.reached {
			if !p.code[f] {
				continue
			}
			for in := range instructions(f) {
				x.useBy(p, in, of, called)
			}
		}
	}
	for _, u := range order {
		x.judge(u)
	}
}

// useBy notes the variables of others that an instruction of p uses.
func (x *inspection) useBy(p *party, in ssa.Instruction, of func(memory) *use, called *callers) {
	written := map[ssa.Value]bool{}
	for _, w := range x.writes(in) {
		for _, r := range called.roots(p, w) {
			if handles(r.alloc) {
				continue
			}
			written[r.alloc] = true
			u := of(memory{r.alloc, r.element})
			u.add(&u.writers, r.by)
			u.add(&u.users, r.by)
			if !u.at.IsValid() {
				u.at = x.at(in)
			}
		}
	}
	var buf [8]*ssa.Value
	for _, op := range in.Operands(buf[:0]) {
		if op == nil || *op == nil {
			continue
		}
		if _, closure := in.(*ssa.MakeClosure); closure {
			continue // what it captures counts where it is used
		}
		for _, r := range called.roots(p, *op) {
			if written[r.alloc] {
				continue
			}
			for _, element := range []bool{false, true} {
				u := of(memory{r.alloc, element})
				u.add(&u.users, r.by)
			}
		}
	}
}

func (u *use) add(list *[]*party, p *party) {
	if !slices.Contains(*list, p) {
		*list = append(*list, p)
	}
}

// handles reports whether a variable holds a Tx or a Session: there is a check of
// its own for these.
func handles(a *ssa.Alloc) bool {
	t := a.Type().Underlying().(*types.Pointer).Elem()
	return isHandle(t, "Tx") || isHandle(t, "Session")
}

// judge reports a variable that is written by one party and used by another.
func (x *inspection) judge(u *use) {
	for _, w := range u.writers {
		if !u.element && x.repeated(w, u.variable) {
			x.reportShared(u, w, "the other sessions declared there use")
			return
		}
		for _, o := range u.users {
			if o != w && !together(o, w) && !(u.element && o.what == w.what) {
				x.reportShared(u, w, o.String()+" uses")
				return
			}
		}
	}
}

// together reports whether two parties run in the same run: all Finals are one
// session, and the Setups run one after another.
func together(a, b *party) bool { return a.what == b.what && (a.what == "Final" || a.what == "Setup") }

func (x *inspection) reportShared(u *use, w *party, other string) {
	name := u.variable.Comment
	if strings.ContainsAny(name, " ()") || name == "" || name == "complit" || name == "new" || name == "makeslice" {
		name = "a value declared at " + x.line(u.variable.Pos())
	}
	x.report(shared, u.at, Problem{
		fmt.Sprintf("%s changes %s, which %s too", w, name, other),
		"each of them runs from a fresh call of the Explore function and never sees what the other did to it",
		"make it a txmc.Var, or tell invariants with s.Observe",
	})
}

// repeated reports whether a session is declared several times for one variable:
// in a loop, or in a function that is called several times.
func (x *inspection) repeated(p *party, a *ssa.Alloc) bool {
	if p.what != "session" {
		return false
	}
	if p.many || x.cyclic(p.site, a) {
		return true
	}
	for f := p.site.Parent(); f != nil && f != a.Parent(); f = f.Parent() {
		calls := 0
		for _, g := range x.reached {
			for in := range instructions(g) {
				if c, ok := in.(ssa.CallInstruction); ok && slices.Contains(x.callees(c.Common()), f) {
					calls++
					if x.cyclic(in, a) {
						calls++
					}
				}
			}
		}
		if calls > 1 {
			return true
		}
	}
	return false
}
