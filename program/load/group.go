package load

import (
	"context"
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// group finds the functions of one package and its tests.
func (f *finder) group(ctx context.Context, g *group) error {
	plain, internal, external := &scanned{}, &scanned{}, &scanned{}
	if g.plain != nil {
		plain = f.tool.scan(g.plain.GoFiles)
		if len(g.plain.Errors) > 0 {
			f.broken = append(f.broken, g.plain)
		}
	}
	if g.internal != nil {
		internal = f.tool.scan(tests(g.internal.GoFiles))
	}
	if g.external != nil {
		external = f.tool.scan(g.external.GoFiles)
	}
	lone := len(f.patterns) == 1 && !f.wild()
	for _, s := range []struct {
		scanned *scanned
		pkg     *packages.Package
	}{{plain, g.plain}, {internal, g.internal}, {external, g.external}} {
		f.bare = f.bare && !s.scanned.imports
		if err := f.decide(ctx, s.scanned, s.pkg, lone); err != nil {
			return err
		}
	}
	testMain := internal.testMain
	if testMain == "" {
		testMain = external.testMain
	}
	if n := len(plain.candidates) + len(internal.candidates); n > 0 {
		f.Packages = append(f.Packages, f.tool.arrange(ctx, g, plain, internal, testMain))
	}
	if len(external.candidates) > 0 {
		f.Packages = append(f.Packages, f.tool.arrangeExternal(g, external, testMain))
	}
	return nil
}

func tests(files []string) []string {
	var list []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			list = append(list, name)
		}
	}
	return list
}

// decide keeps the candidates that are Explore functions and warns of those that
// only look so.
func (f *finder) decide(ctx context.Context, s *scanned, p *packages.Package, lone bool) error {
	var kept []candidate
	var scope *types.Scope
	for _, c := range s.candidates {
		if c.verdict == ask {
			if scope == nil {
				var err error
				if scope, err = f.tool.scope(ctx, p); err != nil {
					return err
				}
			}
			c.verdict = check(scope, c.name)
		}
		if c.verdict == yes {
			kept = append(kept, c)
			continue
		}
		warning := fmt.Sprintf("%s: %s is not explored: expected func %s(p *txmc.Program)", c.at, c.signature, c.name)
		if c.verdict == method {
			warning = fmt.Sprintf("%s: method %s is not explored: declare func %s(p *txmc.Program) that calls it", c.at, c.name, c.name)
		}
		if c.name != "Explore" && (s.imports || lone) {
			f.Warnings = append(f.Warnings, warning)
		}
	}
	s.candidates = kept
	return nil
}

// scope type-checks p. It returns nil when p has errors: the build will show
// them.
func (t *tool) scope(ctx context.Context, p *packages.Package) (*types.Scope, error) {
	path := p.PkgPath
	if p.ForTest != "" {
		path = p.ForTest
	}
	t.log("go list -export %s", path)
	mode := packages.NeedName | packages.NeedForTest | packages.NeedImports | packages.NeedTypes | packages.NeedExportFile
	list, err := packages.Load(t.config(ctx, mode, p.ForTest != ""), path)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil {
		for _, l := range list {
			if l.ID == p.ID && l.Types != nil && len(l.Errors) == 0 {
				return l.Types.Scope(), nil
			}
		}
	}
	return types.NewScope(nil, 0, 0, ""), nil
}

// check judges a function by its type. What the checker does not know is left to
// the compiler.
func check(scope *types.Scope, name string) verdict {
	fn, ok := scope.Lookup(name).(*types.Func)
	if !ok {
		return yes
	}
	sig := fn.Signature()
	if sig.Params().Len() != 1 || sig.Variadic() {
		return no
	}
	ptr, ok := types.Unalias(sig.Params().At(0).Type()).(*types.Pointer)
	if !ok {
		return no
	}
	named, ok := types.Unalias(ptr.Elem()).(*types.Named)
	if ok && named.Obj().Name() == "Program" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == programPath {
		return yes
	}
	return no
}
