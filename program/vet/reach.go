package vet

import (
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"
)

// explores reports whether a function is an Explore function: its name, as for
// go test, and its type.
func explores(f *ssa.Function) bool {
	if f.Parent() != nil || f.Signature.Recv() != nil || f.Signature.TypeParams().Len() > 0 {
		return false
	}
	rest, ok := strings.CutPrefix(f.Name(), "Explore")
	r, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLower(r)) && takesProgram(f.Signature)
}

func takesProgram(sig *types.Signature) bool {
	return sig.Params().Len() == 1 && sig.Results().Len() == 0 && isHandle(sig.Params().At(0).Type(), "Program")
}

// entries are the functions that are explored. They are those that only names. When
// only is nil they are all Explore functions and those that tests explore.
func (g *graph) entries(only []string) []*ssa.Function {
	var list []*ssa.Function
	for _, f := range g.funcs {
		if explores(f) && (only == nil || slices.Contains(only, f.Name())) {
			list = append(list, f)
		}
		if only != nil {
			continue
		}
		for in := range instructions(f) {
			c, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if kind, _ := kindOf(c.Common()); kind == enter {
				for _, a := range c.Common().Args {
					list = append(list, g.functions(a)...)
				}
			}
		}
	}
	return list
}

// reach returns all functions that the given ones mention or call, directly or not, in
// the order of the source. What skip says no to is not entered, and neither is a function
// value that is not alive.
func (g *graph) reach(from []*ssa.Function, skip func(ssa.Instruction) bool) map[*ssa.Function]bool {
	seen := map[*ssa.Function]bool{}
	var visit func(f *ssa.Function)
	visit = func(f *ssa.Function) {
		if f.Blocks == nil || seen[f] {
			return
		}
		if obj := object(f); obj != nil && obj.Pkg() != nil && isAPI(obj.Pkg()) {
			return
		}
		seen[f] = true
		for in := range instructions(f) {
			if skip(in) {
				continue
			}
			for m := range functionsIn(in) {
				visit(m)
			}
			for m := range g.functionsOf(in) {
				visit(m)
			}
			if c, ok := in.(ssa.CallInstruction); ok {
				for _, m := range g.callees(c.Common()) {
					if !byValue(c.Common()) || g.alive == nil || g.alive[m] {
						visit(m)
					}
				}
			}
		}
	}
	for _, f := range from {
		visit(f)
	}
	return seen
}

// byValue reports whether a call calls a function value.
func byValue(c *ssa.CallCommon) bool { return !c.IsInvoke() && c.StaticCallee() == nil }

// enter finds the functions that runs of the entries execute, and keeps them as those that are alive.
// A run has a function as a value only if code of that run mentions it, or code that initializes the
// package. So a function that calls its parameter calls only arguments that the entries have made, and
// not those of all its callers (rapid type analysis, Bacon and Sweeney, OOPSLA 1996, for function values).
func (g *graph) enter(entries []*ssa.Function, skip func(ssa.Instruction) bool) map[*ssa.Function]bool {
	var first []*ssa.Function
	for _, f := range g.funcs {
		if f.Name() == "init" && f.Signature.Recv() == nil && f.Parent() == nil {
			first = append(first, f)
		}
	}
	none := func(ssa.Instruction) bool { return false }
	g.alive = map[*ssa.Function]bool{}
	g.alive = g.reach(first, none)
	reached := g.reach(entries, skip)
	g.alive = reached
	return reached
}

// once reports whether an instruction hands a function to sync.Once, which runs
// it in the first run alone, for all runs.
func (g *graph) once(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.MakeClosure:
		for _, r := range *in.Referrers() {
			if !g.once(r) {
				return false
			}
		}
		return len(*in.Referrers()) > 0
	case ssa.CallInstruction:
		f := callee(in.Common())
		return f != nil && f.FullName() == "(*sync.Once).Do"
	}
	return false
}

// party is client code that runs by itself: what it does to Go variables no other
// party sees, as each run starts from a fresh call of the Explore function.
type party struct {
	what string // "session", "Setup", "Final" or "Invariant"
	name string // as it is declared, "" when that is computed
	site ssa.CallInstruction
	many bool // several sessions in one
	code map[*ssa.Function]bool
}

// String names the party.
func (p *party) String() string {
	if p.name == "" {
		return map[string]string{"session": "a session", "Setup": "a Setup", "Final": "a Final", "Invariant": "an Invariant"}[p.what]
	}
	return p.what + " " + p.name
}

// parties finds those that the reached functions declare.
func (g *graph) parties(reached []*ssa.Function) []*party {
	var list []*party
	for _, f := range reached {
		for in := range instructions(f) {
			c, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			kind, name := kindOf(c.Common())
			what, method := strings.CutPrefix(strings.Replace(name, "DB.", "Program.", 1), "Program.")
			if kind != declare || !method {
				continue
			}
			args := c.Common().Args
			p := &party{what: what, site: c, code: g.reach(g.functions(args[len(args)-1]), g.once)}
			if what == "Session" || what == "Sessions" {
				p.what, p.many = "session", what == "Sessions"
			}
			if k, ok := args[len(args)-2].(*ssa.Const); ok && k.Value != nil {
				p.name = k.Value.ExactString()
			}
			list = append(list, p)
		}
	}
	return list
}
