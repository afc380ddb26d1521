package source

import (
	"go/constant"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A function that asks whether a row is there returns true in one place and false in others. So
// what holds there is known where the caller goes on with true, or with false.

// correlated is what a function returns, with what holds where it returns each alternative.
func (f *frame) correlated(v *Value) *Value {
	if v.Op == Tuple {
		t := &Value{Op: Tuple}
		for i, a := range v.Args {
			t.Args = append(t.Args, f.alternatives(a, func(r *Value) *Value { return r.Args[i] }))
		}
		return t
	}
	return f.alternatives(v, func(r *Value) *Value { return r })
}

// alternatives notes of one result when it is which; nothing is known when two returns give the same.
func (f *frame) alternatives(v *Value, of func(returned *Value) *Value) *Value {
	if v.Op != Either || len(v.Args) != len(f.returned) {
		return v
	}
	for i, a := range v.Args {
		if a != of(f.returned[i]) {
			return v
		}
	}
	w := *v
	w.when = f.when
	return &w
}

// implied are the guards of the only return that gives the truth which the guard asks for.
func (g Guard) implied() []Guard {
	v, want := g.If, g.Then
	for v.Op == Not {
		v, want = v.Args[0], !want
	}
	if v.Op != Either || v.when == nil {
		return nil
	}
	at := -1
	for i, a := range v.Args { // which differ: see alternatives
		if a.Op != Const || a.Const.Kind() != constant.Bool {
			return nil
		}
		if constant.BoolVal(a.Const) == want {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	return slices.Clone(v.when[at])
}

// decides notes a condition of the call's code, and how it is decided where the code goes on: it does not where it
// returns at once.
func (f *frame) decides(i *ssa.If) {
	_, ends := i.Block().Succs[0].Instrs[len(i.Block().Succs[0].Instrs)-1].(*ssa.Return)
	if g := (Guard{f.value(i.Cond), !ends}); g.known() && f.call != nil && len(f.call.Conditions) < mostConditions {
		f.call.Conditions = append(f.call.Conditions, g)
	}
}

// mostConditions bounds the conditions of a call.
const mostConditions = 200
