package source

import (
	"context"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// root is an exported function or method, and the type on which it is called.
type root struct {
	fn *ssa.Function
	on *types.Named // nil for a function
}

// calls looks at the exported functions and methods of a package.
func (f *finder) calls(ctx context.Context, p *ssa.Package) {
	var list []root
	for _, name := range p.Pkg.Scope().Names() {
		switch m := p.Members[name].(type) {
		case *ssa.Function:
			if m.Object() != nil && m.Object().Exported() && m.Signature.TypeParams().Len() == 0 && !f.isNew(m) {
				list = append(list, root{m, nil})
			}
		case *ssa.Type:
			if n, ok := m.Type().(*types.Named); ok && f.receives(n) {
				for _, fn := range f.methods(n) {
					list = append(list, root{fn, n})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b root) int { return int(a.fn.Pos() - b.fn.Pos()) })
	for _, r := range list {
		switch function := r.fn.Object().(*types.Func); {
		case isInvariant(function):
			f.found.Invariants = append(f.found.Invariants, function)
		case isProgram(function) || ctx.Err() != nil:
		case handles(r.fn):
			f.handlers = append(f.handlers, r)
		case f.serves(r.fn) != "":
			f.unknown(function.Pos(), function.Name()+" "+f.serves(r.fn)+": it is no call")
		default:
			f.root(r)
		}
	}
}

// isProgram reports whether a function declares a program for txmc, and is none of the
// application's.
func isProgram(fn *types.Func) bool {
	params := fn.Type().(*types.Signature).Params()
	if params.Len() == 0 {
		return false
	}
	p, pointer := types.Unalias(params.At(0).Type()).(*types.Pointer)
	return pointer && types.TypeString(types.Unalias(p.Elem()), nil) == "github.com/txmc/txmc/program.Program"
}

// routers are the types of which others hand requests to functions, by their packages without versions.
var routers = map[string][]string{
	"github.com/gin-gonic/gin": {"Engine", "RouterGroup", "IRouter", "IRoutes"},
	"github.com/labstack/echo": {"Echo", "Group"},
	"github.com/gofiber/fiber": {"App", "Router", "Group"},
	"github.com/go-chi/chi":    {"Mux", "Router"},
	"github.com/gorilla/mux":   {"Router"},
	"net/http":                 {"ServeMux"},
	"google.golang.org/grpc":   {"Server", "ServiceRegistrar"},
}

// requests are the types of what a router hands to a function.
var requests = map[string][]string{
	"github.com/gin-gonic/gin": {"Context"},
	"github.com/labstack/echo": {"Context"},
	"github.com/gofiber/fiber": {"Ctx"},
	"net/http":                 {"ResponseWriter", "Request"},
}

// handles reports whether a function handles requests.
func handles(fn *ssa.Function) bool { return takesOf(fn, requests) }

// takesOf reports whether a parameter of a function is of one of some types, by their packages without versions.
func takesOf(fn *ssa.Function, list map[string][]string) bool {
	return slices.ContainsFunc(slices.Collect(fn.Signature.Params().Variables()), func(v *types.Var) bool {
		n := named(v.Type())
		if n == nil || n.Obj().Pkg() == nil {
			return false
		}
		path := n.Obj().Pkg().Path()
		if i := strings.LastIndex(path, "/v"); i > 0 && strings.Trim(path[i+2:], "0123456789") == "" {
			path = path[:i]
		}
		return slices.Contains(list[path], n.Obj().Name())
	})
}

// handled lists the functions that handle requests and send statements that no call does: requests are not made up.
func (f *finder) handled() {
	others := maps.Clone(f.sent)
	for _, c := range f.found.Open {
		for at := range c.Open {
			others[at] = true
		}
	}
	for _, r := range f.handlers {
		in, n := f.interpreter(&Call{}), 0
		args := []*Value{}
		if recv := r.fn.Signature.Recv(); recv != nil {
			args = append(args, in.receiver(f.news[r.on.Obj()].fn, recv.Type()))
		}
		in.run(r.fn, args, nil, nil, false, r.fn.Pos())
		places := maps.Clone(in.call.Open)
		for _, t := range in.call.Transactions {
			for _, s := range t.Statements {
				if places == nil {
					places = map[string]string{}
				}
				places[s.At] = ""
			}
		}
		for at := range places {
			if !others[at] {
				n++
			}
		}
		if n > 0 {
			f.unknown(r.fn.Pos(), fmt.Sprintf("%s handles requests, which are not made up: %d places that send statements are reached by no call", r.fn.Name(), n))
		}
	}
}

// serves says why a function is no call, but a part of a server: it opens the database by itself, and is given no
// address, or it tells a router what is called. It is "" for others.
func (f *finder) serves(fn *ssa.Function) string {
	if takesOf(fn, routers) {
		return "tells a router what is called"
	}
	if fn.Signature.Recv() == nil && f.opener(fn) && !slices.ContainsFunc(slices.Collect(fn.Signature.Params().Variables()), func(v *types.Var) bool { return isString(v.Type()) || leads(v.Type()) }) {
		return "opens the database by itself"
	}
	return ""
}

func (f *finder) isNew(fn *ssa.Function) bool {
	for _, m := range f.news {
		if m.fn == fn {
			return true
		}
	}
	return false
}

// root looks at one exported function.
func (f *finder) root(r root) {
	function := r.fn.Object().(*types.Func)
	c := &Call{Package: function.Pkg().Path(), Name: function.Name(), At: f.position(function.Pos()), Func: function}
	in := f.interpreter(c)
	var args []*Value
	if recv := r.fn.Signature.Recv(); recv != nil {
		c.Name, c.On = r.on.Obj().Name()+"."+c.Name, recv.Type()
		made := f.news[r.on.Obj()]
		if made.has(function) {
			c.New = made.fn.Object().(*types.Func)
		}
		args = append(args, in.receiver(made.fn, recv.Type()))
	}
	params := function.Type().(*types.Signature).Params()
	for i := range params.Len() {
		p := params.At(i)
		args = append(args, &Value{Op: Param, Type: p.Type(), Index: i, Path: p.Name()})
	}
	in.run(r.fn, args, nil, nil, false, function.Pos())
	c.Transactions = slices.DeleteFunc(c.Transactions, func(t *Transaction) bool { return len(t.Statements) == 0 })
	if len(c.Open) > 0 {
		f.found.Open = append(f.found.Open, c)
	}
	if len(c.Transactions) > 0 {
		f.found.Calls = append(f.found.Calls, c)
	}
}
