package source

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Functions that handle requests. One is a call, where no other call does what it does: what it asks of the request are the
// call's arguments.

// Framework is whose requests a function handles: the path of the package, without its version, of the type that it is given.
type Framework string

// The frameworks.
const (
	Gin   Framework = "github.com/gin-gonic/gin"
	Echo  Framework = "github.com/labstack/echo"
	Fiber Framework = "github.com/gofiber/fiber"
	HTTP  Framework = "net/http"
)

// Handler says how a function handles requests, and what it asks of one.
type Handler struct {
	Framework
	Package *types.Package // the framework's
	Made    bool           // the function returns what handles requests
	Serves  bool           // that is an http.Handler
	Inputs  []*Input       // in the order in which they are asked for
	Chi     *types.Package // the router that has the parameters of the path; nil: the request has
	Gorilla *types.Package
}

// Place says where in a request something is.
type Place string

// The places. Those of several words are structs.
const (
	Path    Place = "path"
	Query   Place = "query"
	Form    Place = "form"
	Header  Place = "header"
	Body    Place = "body"
	Queries Place = "queries"
	Paths   Place = "paths"
	Local   Place = "local" // a value that what runs before has set
)

// Input is a part of a request that the code asks for.
type Input struct {
	Place
	Name string // "" of a body and its likes
	Type types.Type
	Key  *types.Const // of a Local, where its name has a type of its own
}

// Param is the name of the argument.
func (i *Input) Param() string {
	if i.Name == "" {
		return string(i.Place)
	}
	if i.Place == Path {
		return i.Name
	}
	return string(i.Place) + " " + i.Name
}

// Takes is what a call is given and returns: of one that handles requests, what it asks of them.
func (c *Call) Takes() *types.Signature {
	if c.Handler == nil {
		return c.Func.Type().(*types.Signature)
	}
	var params []*types.Var
	for _, i := range c.Handler.Inputs {
		params = append(params, types.NewVar(c.Func.Pos(), c.Func.Pkg(), i.Param(), i.Type))
	}
	answer := types.NewVar(c.Func.Pos(), c.Func.Pkg(), "", types.Typ[types.String])
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), types.NewTuple(answer), false)
}

// requests are the types of what a router hands to a function.
var requests = map[string][]string{
	"github.com/gin-gonic/gin": {"Context"},
	"github.com/labstack/echo": {"Context"},
	"github.com/gofiber/fiber": {"Ctx"},
	"net/http":                 {"ResponseWriter", "Request"},
}

// handles reports whether a function handles requests, or returns what does.
func handles(fn *ssa.Function) bool {
	return takesOf(fn.Signature, requests) || handlerOf(fn.Signature) != nil
}

// takesOf reports whether a parameter of a function is of one of some types, by their packages without versions.
func takesOf(sig *types.Signature, list map[string][]string) bool {
	return slices.ContainsFunc(slices.Collect(sig.Params().Variables()), func(v *types.Var) bool {
		n := named(v.Type())
		return n != nil && n.Obj().Pkg() != nil && slices.Contains(list[unversioned(n.Obj().Pkg().Path())], n.Obj().Name())
	})
}

// unversioned is a path without the version at its end.
func unversioned(path string) string {
	if i := strings.LastIndex(path, "/v"); i > 0 && strings.Trim(path[i+2:], "0123456789") == "" {
		return path[:i]
	}
	return path
}

// handlerOf is how a function handles requests; nil where it does not, or needs more than the request. It may return what handles
// them, of what is no handler.
func handlerOf(sig *types.Signature) *Handler {
	if h := handling(sig); h != nil {
		return h
	}
	if takesOf(sig, requests) || takesOf(sig, routers) || sig.Results().Len() != 1 || sig.Variadic() || slices.ContainsFunc(slices.Collect(sig.Params().Variables()), func(v *types.Var) bool { return handled(v.Type()) != nil }) {
		return nil
	}
	return handled(sig.Results().At(0).Type())
}

// handled is how values of a type handle requests; nil where they do not.
func handled(t types.Type) *Handler {
	if n, ok := types.Unalias(t).(*types.Named); ok && types.TypeString(n, nil) == "net/http.Handler" {
		return &Handler{Framework: HTTP, Package: n.Obj().Pkg(), Made: true, Serves: true}
	}
	if made, ok := t.Underlying().(*types.Signature); ok {
		if h := handling(made); h != nil {
			h.Made = true
			return h
		}
	}
	return nil
}

// handling is how a function handles requests that is given nothing else.
func handling(sig *types.Signature) *Handler {
	if !takesOf(sig, requests) || sig.Variadic() || sig.Results().Len() > 1 || sig.Results().Len() == 1 && !mayFail(sig) {
		return nil
	}
	pkg := named(sig.Params().At(0).Type()).Obj().Pkg()
	framework := Framework(unversioned(pkg.Path()))
	want := 1
	if framework == HTTP {
		want = 2
	}
	if sig.Params().Len() != want || (framework == Echo || framework == Fiber) && !mayFail(sig) || (framework == Gin || framework == HTTP) && sig.Results().Len() > 0 {
		return nil
	}
	if framework == HTTP && (named(sig.Params().At(1).Type()) == nil || named(sig.Params().At(1).Type()).Obj().Name() != "Request") {
		return nil
	}
	return &Handler{Framework: framework, Package: pkg}
}

// handled looks at the functions that handle requests. Those are calls that send statements at places which no other call
// has all.
func (f *finder) handled() {
	var others []map[string]bool
	for _, c := range slices.Concat(f.found.Calls, f.found.Open) {
		others = append(others, c.places())
	}
	for _, r := range f.handlers {
		h := handlerOf(r.fn.Signature)
		c := f.look(r, h)
		places := c.places()
		switch {
		case len(places) == 0 || slices.ContainsFunc(others, func(o map[string]bool) bool { return within(places, o) }):
		case h == nil:
			f.unknown(r.fn.Pos(), r.fn.Name()+" handles requests, and is given more than a request: it is not looked at")
		default:
			f.add(c)
			slices.SortStableFunc(f.found.Calls, func(a, b *Call) int { return int(a.Func.Pos() - b.Func.Pos()) })
		}
	}
	f.found.Nest()
}

// places are where a call sends statements.
func (c *Call) places() map[string]bool {
	all := map[string]bool{}
	for at := range c.Open {
		all[at] = true
	}
	for _, t := range c.Transactions {
		for _, s := range t.Statements {
			all[s.At] = true
		}
	}
	return all
}

// within reports whether all that is in one set is in another one.
func within(some, all map[string]bool) bool {
	for at := range some {
		if !all[at] {
			return false
		}
	}
	return true
}
