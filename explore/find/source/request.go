package source

import (
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What the code asks of a request: each such thing is an argument of the call that handles it.

// asks are the methods and functions that ask for something with a name, which is their last text, by the types and packages
// that have them.
var asks = map[string]map[string]Place{
	"github.com/gin-gonic/gin.Context": {
		"Param": Path, "Query": Query, "DefaultQuery": Query, "GetQuery": Query, "PostForm": Form, "DefaultPostForm": Form, "GetPostForm": Form, "GetHeader": Header,
		"Get": Local, "MustGet": Local, "Value": Local, "GetString": Local, "GetBool": Local, "GetInt": Local, "GetInt64": Local, "GetUint": Local, "GetUint64": Local, "GetFloat64": Local,
	},
	"github.com/labstack/echo.Context": {"Param": Path, "QueryParam": Query, "FormValue": Form, "Get": Local},
	"github.com/gofiber/fiber.Ctx": {
		"Params": Path, "ParamsInt": Path, "Query": Query, "QueryInt": Query, "FormValue": Form, "Get": Header, "Locals": Local,
	},
	"net/http.Request":         {"PathValue": Path, "FormValue": Query, "PostFormValue": Form},
	"net/url.Values":           {"Get": Query},
	"net/http.Header":          {"Get": Header},
	"context.Context":          {"Value": Local},
	"github.com/go-chi/chi":    {"URLParam": Path, "URLParamFromCtx": Path},
	"github.com/gorilla/mux":   {},
	"github.com/go-chi/render": {},
}

// binds are those that fill a struct.
var binds = map[string]map[string]Place{
	"github.com/gin-gonic/gin.Context": {
		"ShouldBindJSON": Body, "BindJSON": Body, "ShouldBind": Body, "Bind": Body, "ShouldBindWith": Body, "ShouldBindBodyWith": Body, "ShouldBindBodyWithJSON": Body, "MustBindWith": Body,
		"ShouldBindQuery": Queries, "BindQuery": Queries, "ShouldBindUri": Paths, "BindUri": Paths,
	},
	"github.com/labstack/echo.Context": {"Bind": Body},
	"github.com/gofiber/fiber.Ctx":     {"BodyParser": Body, "QueryParser": Queries, "ParamsParser": Paths},
	"github.com/gofiber/fiber.Bind":    {"Body": Body, "JSON": Body, "Query": Queries, "URI": Paths},
	"encoding/json.Decoder":            {"Decode": Body},
	"encoding/json":                    {"Unmarshal": Body},
	"github.com/go-chi/render":         {"DecodeJSON": Body, "Decode": Body},
}

// owner is the type, without the version of its package, whose method a function is, or its package.
func owner(m *types.Func) string {
	if m.Pkg() == nil {
		return ""
	}
	recv := m.Type().(*types.Signature).Recv()
	if recv == nil {
		return unversioned(m.Pkg().Path())
	}
	n := named(recv.Type())
	if n == nil || n.Obj().Pkg() == nil {
		return ""
	}
	return unversioned(n.Obj().Pkg().Path()) + "." + n.Obj().Name()
}

// request looks at a function that asks for a part of the request that the call handles.
func (f *frame) request(m *types.Func, args []*Value) (*Value, bool) {
	h := f.call.handler()
	if h == nil {
		return nil, false
	}
	of := owner(m)
	if place, ok := binds[of][m.Name()]; ok {
		return f.bound(m, place, args)
	}
	if of == "github.com/gorilla/mux" && m.Name() == "Vars" {
		h.Gorilla = m.Pkg()
		return &Value{Op: Apply, Path: pathVariables}, true
	}
	place, ok := asks[of][m.Name()]
	if !ok {
		return nil, false
	}
	if of == "github.com/go-chi/chi" {
		h.Chi = m.Pkg()
	}
	return f.asked(m, place, args)
}

// pathVariables is the name of the map of a request's parameters.
const pathVariables = "parameters of the path"

// handler is how a call handles requests; nil where it does not.
func (c *Call) handler() *Handler {
	if c == nil {
		return nil
	}
	return c.Handler
}

// asked is a part of a request that has a name.
func (f *frame) asked(m *types.Func, place Place, args []*Value) (*Value, bool) {
	sig := m.Type().(*types.Signature)
	at := len(args) - sig.Params().Len() // of the first parameter
	if sig.Recv() != nil && at > 0 {
		args = args[at:]
	}
	for _, a := range args {
		v, ok := f.part(place, a)
		if !ok {
			continue
		}
		if result := sig.Results().At(0).Type(); !types.IsInterface(result) && !isString(result) {
			f.typedInput(v, result)
		}
		return resultsOf(m, v), true
	}
	return nil, false
}

// part is the argument of the call for a part of a request, whose name a value is.
func (f *frame) part(place Place, name *Value) (*Value, bool) {
	if name.Op != Const || name.Const.Kind() != constant.String {
		return nil, false
	}
	in := &Input{Place: place, Name: constant.StringVal(name.Const), Type: types.Typ[types.String]}
	if place == Local {
		in.Type = types.NewInterfaceType(nil, nil)
		if n, ok := types.Unalias(name.Type).(*types.Named); ok {
			if in.Key = f.constant(n, in.Name); in.Key == nil {
				return nil, false
			}
		}
	}
	return f.input(in), true
}

// constant is the exported constant of a type with a value; nil if there is none.
func (f *frame) constant(n *types.Named, value string) *types.Const {
	if n.Obj().Pkg() == nil {
		return nil
	}
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		c, ok := scope.Lookup(name).(*types.Const)
		if ok && c.Exported() && types.Identical(c.Type(), n) && c.Val().Kind() == constant.String && constant.StringVal(c.Val()) == value {
			return c
		}
	}
	return nil
}

// input is the argument for a part of the request, which may have been asked for before.
func (f *frame) input(in *Input) *Value {
	h := f.call.handler()
	for i, known := range h.Inputs {
		if known.Param() == in.Param() {
			return &Value{Op: Param, Type: known.Type, Index: i, Path: known.Param()}
		}
	}
	h.Inputs = append(h.Inputs, in)
	return &Value{Op: Param, Type: in.Type, Index: len(h.Inputs) - 1, Path: in.Param()}
}

// typedInput gives a part of a request the type that the code takes it for: texts are numbers and identifiers in other words.
func (f *frame) typedInput(v *Value, t types.Type) {
	h := f.call.handler()
	if h == nil || v.Op != Param || v.Index >= len(h.Inputs) || h.Inputs[v.Index].Param() != v.Path {
		return
	}
	in := h.Inputs[v.Index]
	if _, unknown := in.Type.Underlying().(*types.Interface); in.Place == Local && unknown || in.Place != Local && isString(in.Type) && in.Name != "" {
		in.Type = t
	}
}

// bound fills what an argument points to with a part of the request.
func (f *frame) bound(m *types.Func, place Place, args []*Value) (*Value, bool) {
	if m.Name() == "Unmarshal" && (len(args) != 2 || !strings.HasPrefix(args[0].Path, "ReadAll")) {
		return nil, false // of something else
	}
	for _, a := range args {
		if a.Type == nil {
			continue
		}
		p, ok := a.Type.Underlying().(*types.Pointer)
		if !ok || takesOf(types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewVar(0, nil, "", a.Type)), nil, false), requests) {
			continue
		}
		to, ok := f.target(a)
		if _, composed := p.Elem().Underlying().(*types.Struct); !ok || !composed && place != Body {
			continue
		}
		shape := shown(p.Elem(), 0)
		if shape == nil {
			return nil, false
		}
		v := f.input(&Input{Place: place, Type: shape})
		if !types.Identical(v.Type, shape) { // the body is taken for two things
			return nil, false
		}
		to.store(v, true)
		return resultsOf(m, unknown), true
	}
	return nil, false
}

// mostShown bounds the types in types.
const mostShown = 6

// shown is a type that other packages can name, and that has the same form in words; nil where there is none. What is not
// exported is named by what it is made of.
func shown(t types.Type, depth int) types.Type {
	if depth > mostShown {
		return nil
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if o := t.Obj(); t.TypeArgs().Len() == 0 && (o.Pkg() == nil || o.Exported() && o.Parent() == o.Pkg().Scope()) {
			return t
		}
		return shown(t.Underlying(), depth+1)
	case *types.Pointer:
		if e := shown(t.Elem(), depth+1); e != nil {
			return types.NewPointer(e)
		}
		return nil
	case *types.Slice:
		if e := shown(t.Elem(), depth+1); e != nil {
			return types.NewSlice(e)
		}
		return nil
	case *types.Struct:
		return shownFields(t, depth)
	}
	return t
}

// shownFields is a struct with those of its exported fields whose types can be shown.
func shownFields(s *types.Struct, depth int) types.Type {
	var fields []*types.Var
	var tags []string
	for i := range s.NumFields() {
		v := s.Field(i)
		if t := shown(v.Type(), depth+1); v.Exported() && t != nil {
			fields, tags = append(fields, types.NewField(v.Pos(), v.Pkg(), v.Name(), t, v.Embedded() && types.Identical(t, v.Type()))), append(tags, s.Tag(i))
		}
	}
	return types.NewStruct(fields, tags)
}

// variable is a parameter of the path that is looked up in the map of all.
func (f *frame) variable(l *ssa.Lookup) (*Value, bool) {
	if x := f.value(l.X); x.Op != Apply || x.Path != pathVariables || f.call.handler() == nil {
		return nil, false
	}
	v, ok := f.part(Path, f.value(l.Index))
	if ok && l.CommaOk {
		return &Value{Op: Tuple, Args: []*Value{v, unknown}}, true
	}
	return v, ok
}

// parsed is what a function makes of a text: the same in another form.
func (f *frame) parsed(m *types.Func, args []*Value) (*Value, bool) {
	if f.call.handler() == nil || len(args) == 0 {
		return nil, false
	}
	switch m.FullName() {
	case "strconv.Atoi", "strconv.ParseInt", "strconv.ParseUint":
		f.typedInput(args[0], types.Typ[types.Int])
	case "strconv.ParseFloat", "strconv.ParseBool":
		f.typedInput(args[0], m.Type().(*types.Signature).Results().At(0).Type())
	case "strconv.Itoa", "strconv.FormatInt", "strconv.FormatUint":
	case "github.com/google/uuid.Parse", "github.com/google/uuid.MustParse", "github.com/gofrs/uuid.FromString", "github.com/satori/go.uuid.FromString":
		f.typedInput(args[0], m.Type().(*types.Signature).Results().At(0).Type())
	case "(github.com/google/uuid.UUID).String", "(github.com/gofrs/uuid.UUID).String", "(github.com/satori/go.uuid.UUID).String":
	default:
		return nil, false
	}
	return resultsOf(m, args[0]), true
}
