package source

import (
	"go/constant"
	"slices"
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
