package source

import (
	"cmp"
	"context"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/txmc/txmc/program/load"
)

// finder looks at packages.
type finder struct {
	source  *load.Source
	prog    *ssa.Program
	own     map[string]bool // packages whose code is looked at
	types   []types.Type    // that they declare, and pointers to them
	globals map[*ssa.Global]*object
	embeds  map[types.Object][]string // texts of the files that variables embed
	news    map[*types.TypeName]maker
	makers  []*ssa.Function        // exported functions that make values which lead to the database
	looked  map[*ssa.Function]bool // at
	openers map[*ssa.Function]bool // open the database by themselves, or not

	programming

	findings
}

// findings is what has been found.
type findings struct {
	numbers  bool // parameters are $1 and so on
	problems map[Problem]bool
	sent     map[string]bool // places of statements that are in a call
	outside  map[string]bool // places of statements in transactions of a caller's
	found    Program
}

// Options say what is looked at.
type Options struct {
	// New names the functions that make what methods are called on, as in NewStore; for
	// other types one is looked for.
	New []string
	// Numbers says that the database has $1 where libraries have a question mark.
	Numbers bool
}

// Find finds the transactions of the packages, as far as it gets until ctx is done.
func Find(ctx context.Context, s *load.Source, opts Options) *Program {
	prog, _ := ssautil.Packages(s.All, ssa.InstantiateGenerics)
	prog.Build()
	f := &finder{
		source: s, prog: prog, own: map[string]bool{}, globals: map[*ssa.Global]*object{}, embeds: map[types.Object][]string{},
		news: map[*types.TypeName]maker{}, looked: map[*ssa.Function]bool{}, openers: map[*ssa.Function]bool{},
		findings: findings{found: Program{Environment: map[string]bool{}}, numbers: opts.Numbers, problems: map[Problem]bool{}, sent: map[string]bool{}, outside: map[string]bool{}},
	}
	for _, p := range s.All {
		f.own[p.PkgPath] = true
		f.declared(p)
		f.embedded(p)
	}
	f.callers()
	f.layers()
	for _, p := range s.Roots {
		f.constructors(prog.Package(p.Types), opts.New)
	}
	for _, p := range s.Roots {
		f.calls(ctx, prog.Package(p.Types))
	}
	f.found.Nest()
	f.handled()
	for _, p := range s.Roots {
		f.unreached(prog.Package(p.Types))
	}
	f.schemas()
	f.migrators()
	for at := range f.outside {
		if !f.sent[at] {
			f.problems[Problem{at, "the statement runs in a transaction that the function's caller begins: no function here does"}] = true
		}
	}
	for p := range f.problems {
		f.found.Unknown = append(f.found.Unknown, p)
	}
	slices.SortFunc(f.found.Unknown, func(a, b Problem) int { return comparePlaces(a.At, b.At, a.What, b.What) })
	return &f.found
}

// comparePlaces orders places by file and line, and then texts.
func comparePlaces(a, b, x, y string) int {
	fileA, lineA, _ := strings.Cut(a, ":")
	fileB, lineB, _ := strings.Cut(b, ":")
	return cmp.Or(cmp.Compare(fileA, fileB), cmp.Compare(len(lineA), len(lineB)), cmp.Compare(lineA, lineB), cmp.Compare(x, y))
}

func (f *finder) position(pos token.Pos) string { return f.source.Position(pos) }

func (f *finder) unknown(pos token.Pos, what string) {
	f.problems[Problem{f.position(pos), what}] = true
}

// declared notes the types of a package.
func (f *finder) declared(p *packages.Package) {
	for _, name := range p.Types.Scope().Names() {
		if t, ok := p.Types.Scope().Lookup(name).(*types.TypeName); ok && !t.IsAlias() {
			if n, ok := t.Type().(*types.Named); ok && n.TypeParams().Len() == 0 && !types.IsInterface(n) {
				f.asksEnvironment(n)
				if n.NumMethods() > 0 {
					f.types = append(f.types, types.NewPointer(n))
				}
			}
		}
	}
}

// asksEnvironment notes the variables of the environment that tags of a configuration's fields name.
func (f *finder) asksEnvironment(n *types.Named) {
	s, ok := n.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i := range s.NumFields() {
		for _, tag := range []string{"env", "envconfig"} {
			if name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get(tag), ","); name != "" {
				f.found.Environment[name] = true
			}
		}
	}
}

// global is a variable of a package: its first value, when nothing else is ever stored.
func (f *finder) global(g *ssa.Global) *object {
	if o := f.globals[g]; o != nil {
		return o
	}
	o := newObject(&Value{Op: Global, Type: g.Type().(*types.Pointer).Elem(), Path: g.Pkg.Pkg.Name() + "." + g.Name()})
	f.globals[g] = o
	if s := f.embeds[g.Object()]; len(s) == 1 && isString(g.Type().(*types.Pointer).Elem()) {
		o.cells[""] = text(s[0])
		return o
	}
	var stored []*ssa.Store
	for _, m := range g.Pkg.Members {
		if fn, ok := m.(*ssa.Function); ok {
			stored = append(stored, storesTo(g, fn)...)
		}
	}
	if len(stored) == 1 {
		if c, ok := stored[0].Val.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.String {
			o.cells[""] = constantOf(c)
		}
	}
	return o
}

func storesTo(g *ssa.Global, fn *ssa.Function) (list []*ssa.Store) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if s, ok := i.(*ssa.Store); ok && s.Addr == g {
				list = append(list, s)
			}
		}
	}
	for _, inner := range fn.AnonFuncs {
		list = append(list, storesTo(g, inner)...)
	}
	return list
}

// schemas finds the constants and variables of packages that make tables.
func (f *finder) schemas() {
	for _, p := range f.source.All {
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			texts := f.embeds[scope.Lookup(name)]
			switch o := scope.Lookup(name).(type) {
			case *types.Const:
				if o.Val().Kind() == constant.String {
					texts = []string{constant.StringVal(o.Val())}
				}
			case *types.Var:
				if g, ok := f.prog.Package(p.Types).Members[name].(*ssa.Global); ok && isString(o.Type()) {
					if v := f.global(g).cells[""]; v != nil && len(v.Strings()) == 1 {
						texts = v.Strings()
					}
				}
			}
			if strings.Contains(strings.ToUpper(strings.Join(texts, "\n")), "CREATE TABLE") { // of migrations some change these
				for _, text := range texts {
					f.found.Schemas = append(f.found.Schemas, Schema{f.position(scope.Lookup(name).Pos()), text})
				}
			}
		}
	}
}
