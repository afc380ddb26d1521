package vet

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// sources are the things in an instruction that exploration cannot repeat.
func (x *inspection) sources(in ssa.Instruction) []Source {
	list := x.globals(in)
	if p, ok := concurrent(in, x.Repeats); ok {
		list = append(list, Source{Check: concurrency, Problem: p})
	}
	if s, ok := x.reading(in); ok {
		list = append(list, s)
	}
	for m := range functionsIn(in) {
		list = append(list, x.foreign(object(m), in)...)
	}
	if c, ok := in.(ssa.CallInstruction); ok && c.Common().IsInvoke() {
		list = append(list, x.foreign(c.Common().Method, in)...)
	}
	return list
}

// foreign are the sources in a function of another package, which is called or
// handed on.
func (x *inspection) foreign(f *types.Func, in ssa.Instruction) []Source {
	if f == nil || f.Pkg() == nil || f.Pkg() == x.pkg || x.drives(f) {
		return nil
	}
	var list []Source
	if s, ok := x.standard(f, in); ok {
		list = append(list, s)
	}
	if known := x.factsOf(f.Pkg()).find(f.FullName()); known != nil {
		for _, s := range known.Sources {
			s.What = fmt.Sprintf("%s.%s: %s (%s)", f.Pkg().Name(), f.Name(), s.What, s.At)
			list = append(list, s)
		}
	}
	return list
}

// facts are what importers of the package have to know.
func (x *inspection) facts() *Facts {
	deep := x.deep()
	facts := &Facts{}
	for _, f := range x.funcs {
		obj := object(f)
		if obj == nil || obj.Pkg() != x.pkg || f.Synthetic != "" {
			continue
		}
		s := x.summaries[f]
		fn := s.Function
		fn.Name = obj.FullName()
		for i, p := range f.Params {
			if s.writes[p] {
				fn.Writes = append(fn.Writes, i)
			}
		}
		for _, s := range deep[f] {
			fn.Sources = append(fn.Sources, s)
		}
		slices.SortFunc(fn.Sources, func(a, b Source) int { return cmp.Compare(a.Check, b.Check) })
		if pos := x.ordered[f]; pos.IsValid() {
			fn.Order = x.fileLine(pos)
		}
		if fn.Operates || fn.Begins || fn.Drops || fn.Order != "" || len(fn.Writes)+len(fn.Sources) > 0 {
			facts.Functions = append(facts.Functions, fn)
		}
	}
	slices.SortFunc(facts.Functions, func(a, b Function) int { return cmp.Compare(a.Name, b.Name) })
	return facts
}

// deep are the sources of all functions, by check, those of what they mention
// included. Which of several is kept is decided by the order of the source.
func (x *inspection) deep() map[*ssa.Function]map[string]Source {
	all := map[*ssa.Function]map[string]Source{}
	for _, f := range x.funcs {
		all[f] = map[string]Source{}
		for in := range instructions(f) {
			for _, s := range x.sources(in) {
				if _, has := all[f][s.Check]; has || x.ignores(s.Check, x.at(in)) {
					continue
				}
				if s.At == "" {
					s.At = x.fileLine(x.at(in))
				}
				all[f][s.Check] = s
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range x.funcs {
			for in := range instructions(f) {
				if x.once(in) {
					continue
				}
				for m := range functionsIn(in) {
					for check, s := range all[m] {
						if _, has := all[f][check]; !has {
							all[f][check], changed = s, true
						}
					}
				}
			}
		}
	}
	return all
}

// fileLine names a line to readers of another package.
func (x *inspection) fileLine(pos token.Pos) string {
	p := x.Fset.Position(pos)
	if x.Line != nil {
		return x.Line(p)
	}
	return fmt.Sprintf("%s/%s:%d", path.Base(x.pkg.Path()), filepath.Base(p.Filename), p.Line)
}
