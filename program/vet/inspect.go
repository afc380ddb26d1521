package vet

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime/debug"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Input is a type-checked package.
type Input struct {
	Fset  *token.FileSet
	Files []*ast.File // with comments
	Pkg   *types.Package
	Info  *types.Info
	// Imported returns the facts of an imported package, or nil when it was not
	// inspected.
	Imported func(path string) *Facts
	// Only names the Explore functions that matter; nil means all, and the
	// functions that are given to txmc.Check and program.NewClient.
	Only []string
	// Repeats: time, random numbers and the order of maps repeat themselves.
	Repeats bool
	// Line says where a line of another package is, as the user sees it; by default with the
	// package's name alone.
	Line func(token.Position) string
}

// Result is what an inspection found.
type Result struct {
	Findings []Finding // by position
	Facts    *Facts
}

// Inspect inspects a package. It returns an error when it cannot.
func Inspect(in Input) (*Result, error) {
	return inspectFrom(in, func(g *graph) []*ssa.Function { return g.entries(in.Only) })
}

// inspectFrom does so for the code that the entries reach.
func inspectFrom(in Input, entries func(*graph) []*ssa.Function) (res *Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			res, err = nil, fmt.Errorf("vet cannot inspect %s, please report it: %v\n%s", in.Pkg.Path(), v, debug.Stack())
		}
	}()
	x := &inspection{Input: in, pkg: in.Pkg, calls: map[token.Pos]*ast.CallExpr{}, bare: map[*ast.CallExpr]bool{}, ignored: ignores(in.Fset, in.Files)}
	x.index()
	prog, funcs := build(in)
	x.graph = newGraph(prog, funcs)
	x.initial = initialFunctions(in, prog, funcs)
	x.summarize()
	x.ordered = map[*ssa.Function]token.Pos{}
	x.traceOrder()
	x.trace(entries(x.graph))
	x.orders()
	x.loopsAround()
	x.drops()
	x.stray()
	x.findShared()
	return &Result{x.sorted(), x.facts()}, nil
}

// inspection is the work on one package.
type inspection struct {
	Input
	*graph
	pkg       *types.Package
	summaries map[*ssa.Function]*summary
	reached   []*ssa.Function // the code that is explored
	explored  map[*ssa.Function]bool
	parties   []*party
	ordered   map[*ssa.Function]token.Pos // functions whose results depend on the order of the map there

	calls    map[token.Pos]*ast.CallExpr // by left parenthesis
	bare     map[*ast.CallExpr]bool      // results are not even assigned to _
	ignored  map[string]map[int][]string
	findings []Finding
}

// build makes the SSA form of the package alone.
func build(in Input) (*ssa.Program, []*ssa.Function) {
	prog := ssa.NewProgram(in.Fset, ssa.BuilderMode(0))
	for _, p := range in.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	pkg := prog.CreatePackage(in.Pkg, in.Files, in.Info, false)
	pkg.Build()
	var funcs []*ssa.Function
	var add func(f *ssa.Function)
	add = func(f *ssa.Function) {
		funcs = append(funcs, f)
		for _, anon := range f.AnonFuncs {
			add(anon)
		}
	}
	for _, file := range in.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if f := prog.FuncValue(in.Info.Defs[d.Name].(*types.Func)); f != nil {
					add(f)
				}
			}
		}
	}
	if init := pkg.Func("init"); init != nil {
		add(init) // with the functions that variables are initialised with
	}
	return prog, funcs
}

// index finds the calls of the syntax.
func (x *inspection) index() {
	for _, file := range x.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				x.calls[n.Lparen] = n
			case *ast.ExprStmt:
				if c, ok := ast.Unparen(n.X).(*ast.CallExpr); ok {
					x.bare[c] = true
				}
			}
			return true
		})
	}
}

// trace notes the code that is explored, and complains of what in it cannot be
// repeated.
func (x *inspection) trace(entries []*ssa.Function) {
	x.explored = x.enter(entries, x.once)
	for _, f := range x.funcs {
		if x.explored[f] {
			x.reached = append(x.reached, f)
		}
	}
	x.parties = x.graph.parties(x.reached)
	for _, f := range x.reached {
		if isMethodValue(f) {
			continue // it stands where the method is declared: what calls it is looked at
		}
		for in := range instructions(f) {
			for _, s := range x.sources(in) {
				x.report(s.Check, x.at(in), s.Problem)
			}
		}
	}
}

// report keeps a finding, unless the code says that it is to be ignored.
func (x *inspection) report(check string, pos token.Pos, p Problem) {
	if !pos.IsValid() || x.ignores(check, pos) {
		return
	}
	for _, f := range x.findings {
		if f.Check == check && f.Pos == pos {
			return
		}
	}
	x.findings = append(x.findings, Finding{check, pos, p})
}

func (x *inspection) sorted() []Finding {
	slices.SortStableFunc(x.findings, func(a, b Finding) int {
		p, q := x.Fset.Position(a.Pos), x.Fset.Position(b.Pos)
		return cmp.Or(cmp.Compare(p.Filename, q.Filename), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
	})
	return x.distinct(x.findings)
}

// distinct keeps the first of the findings that say the same of a line: all that is done with
// channels there has one effect.
func (x *inspection) distinct(list []Finding) []Finding {
	type said struct {
		file, check, what string
		line              int
	}
	seen := map[said]bool{}
	return slices.DeleteFunc(list, func(f Finding) bool {
		at := x.Fset.Position(f.Pos)
		key := said{at.Filename, f.Check, f.What, at.Line}
		if f.Check == concurrency {
			key.what = f.Effect
		}
		again := seen[key]
		seen[key] = true
		return again
	})
}

// at is the position of an instruction in the source. Of a call it is the beginning of
// the function's name, when that is on the line of the parenthesis.
func (x *inspection) at(in ssa.Instruction) token.Pos {
	pos := in.Pos()
	if c, ok := in.(ssa.CallInstruction); ok && c.Common().Pos().IsValid() {
		pos = c.Common().Pos()
	}
	if call := x.calls[pos]; call != nil {
		line := func(p token.Pos) int { return x.Fset.Position(p).Line }
		if line(call.Fun.Pos()) == line(pos) {
			return call.Fun.Pos()
		}
		return pos
	}
	if pos.IsValid() {
		return pos
	}
	// A neighbour's, or the function's.
	for _, o := range in.Block().Instrs {
		if o.Pos().IsValid() {
			return o.Pos()
		}
	}
	return in.Parent().Pos()
}

// line is where something is, for a message about another place.
func (x *inspection) line(pos token.Pos) string {
	p := x.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// factsOf returns what is known of another package.
func (x *inspection) factsOf(p *types.Package) *Facts {
	if p == nil || p == x.pkg || x.Imported == nil {
		return nil
	}
	return x.Imported(p.Path())
}

// statement is the innermost loop statement of f around pos, or pos.
func (x *inspection) statement(f *ssa.Function, pos token.Pos) token.Pos {
	if f.Syntax() == nil || !pos.IsValid() {
		return pos
	}
	found := pos
	ast.Inspect(f.Syntax(), func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			found = n.Pos()
		}
		return true
	})
	return found
}
