package source

import (
	"context"
	"go/token"
	"go/types"
	"slices"

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
			if f.entry(m) && m.Signature.TypeParams().Len() == 0 && !f.isNew(m) {
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
	"github.com/gin-gonic/gin":                          {"Engine", "RouterGroup", "IRouter", "IRoutes"},
	"github.com/labstack/echo":                          {"Echo", "Group"},
	"github.com/gofiber/fiber":                          {"App", "Router", "Group"},
	"github.com/go-chi/chi":                             {"Mux", "Router"},
	"github.com/gorilla/mux":                            {"Router"},
	"net/http":                                          {"ServeMux"},
	"google.golang.org/grpc":                            {"Server", "ServiceRegistrar"},
	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime": {"ServeMux"},
	"github.com/grpc-ecosystem/grpc-gateway/runtime":    {"ServeMux"},
	"github.com/hibiken/asynq":                          {"ServeMux"},
}

// serves says why a function is no call, but a part of a server: it opens the database by itself, and is given no
// address, it tells a router what is called, or it waits for requests. It is "" for others.
func (f *finder) serves(fn *ssa.Function) string {
	if takesOf(fn.Signature, routers) || routes(fn.Signature) {
		return "tells a router what is called"
	}
	if f.listens(fn) {
		return "runs a server"
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
func (f *finder) root(r root) { f.add(f.look(r, nil)) }

// add adds a call that sends something.
func (f *finder) add(c *Call) {
	if len(c.Open) > 0 {
		f.found.Open = append(f.found.Open, c)
	}
	if len(c.Transactions) > 0 {
		f.found.Calls = append(f.found.Calls, c)
	}
}

// look looks at one exported function, which may handle requests.
func (f *finder) look(r root, h *Handler) *Call {
	function := r.fn.Object().(*types.Func)
	c := &Call{Package: function.Pkg().Path(), Name: function.Name(), At: f.position(function.Pos()), Func: function, Asked: Asked{Handler: h}}
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
		p, v := params.At(i), unknown
		if h == nil {
			v = &Value{Op: Param, Type: p.Type(), Index: i, Path: p.Name()}
		}
		args = append(args, v.typed(p.Type()))
	}
	if h != nil && h.Made { // what is sent when that is made is no part of a request
		body := f.interpreter(&Call{Asked: Asked{Handler: h}, Variables: c.Variables})
		body.params = in.params
		made := body.run(r.fn, args, nil, nil, false, function.Pos())
		c.Variables = body.call.Variables
		in.handler(made, function.Pos())
	} else {
		in.run(r.fn, args, nil, nil, false, function.Pos())
	}
	c.Transactions = slices.DeleteFunc(c.Transactions, func(t *Transaction) bool { return len(t.Statements) == 0 })
	return c
}

// handler looks at what a function returns that handles requests.
func (in *interpreter) handler(made *Value, pos token.Pos) {
	switch made.Op {
	case Closure:
		in.run(made.fn, nil, made.Args, nil, false, pos)
	case Either:
		for _, a := range made.Args {
			in.handler(a, pos)
		}
	}
}
