package source

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Functions that run a server: they are parts of programs. And those that make a schema when they make something else.

// listening are the functions and methods that wait for requests, by their packages, or types with packages, without versions.
var listening = map[string][]string{
	"net":                                      {"Listen", "ListenTCP"},
	"net/http":                                 {"ListenAndServe", "ListenAndServeTLS", "Serve"},
	"net/http.Server":                          {"ListenAndServe", "ListenAndServeTLS", "Serve"},
	"github.com/gin-gonic/gin.Engine":          {"Run", "RunTLS", "RunListener"},
	"github.com/labstack/echo.Echo":            {"Start", "StartTLS", "StartServer"},
	"github.com/gofiber/fiber.App":             {"Listen", "ListenTLS", "Listener"},
	"google.golang.org/grpc.Server":            {"Serve"},
	"github.com/hibiken/asynq.Server":          {"Run", "Start"},
	"github.com/valyala/fasthttp":              {"ListenAndServe", "Serve"},
	"github.com/zeromicro/go-zero/rest.Server": {"Start"},
}

// listens reports whether a function waits for requests.
func (f *finder) listens(fn *ssa.Function) bool {
	starts := fn.Signature.Recv() == nil // by an interface of the application's own
	return f.reaches(fn, map[*ssa.Function]bool{}, func(m *types.Func) bool {
		return slices.Contains(listening[owner(m)], m.Name()) || starts && isStart(m) && f.own[m.Pkg().Path()]
	})
}

// isStart reports whether a method of an interface may be one that waits for requests.
func isStart(m *types.Func) bool {
	sig := m.Type().(*types.Signature)
	return sig.Recv() != nil && types.IsInterface(sig.Recv().Type()) && slices.Contains([]string{"Start", "Serve", "Listen", "ListenAndServe"}, m.Name())
}

// migrating are the libraries that make schemas, and note in a table of theirs what they have made.
var migrating = []string{"github.com/pressly/goose", "github.com/golang-migrate/migrate", "github.com/rubenv/sql-migrate", "github.com/jackc/tern", "github.com/go-gormigrate/gormigrate"}

// migrates reports whether a function makes a schema by such a library.
func (f *finder) migrates(fn *ssa.Function) bool {
	return f.reaches(fn, map[*ssa.Function]bool{}, func(m *types.Func) bool {
		makes := strings.HasPrefix(m.Name(), "Up") || strings.HasPrefix(m.Name(), "Migrate") || strings.HasPrefix(m.Name(), "Exec")
		return makes && slices.ContainsFunc(migrating, func(l string) bool { return strings.HasPrefix(m.Pkg().Path(), l) })
	})
}

// reaches reports whether a function calls one that is asked for, by itself or by a function of the module that it calls or declares.
func (f *finder) reaches(fn *ssa.Function, seen map[*ssa.Function]bool, wanted func(*types.Func) bool) bool {
	if seen[fn] {
		return false
	}
	seen[fn] = true
	for _, inner := range fn.AnonFuncs {
		if f.reaches(inner, seen, wanted) {
			return true
		}
	}
	var operands []*ssa.Value
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			for _, v := range i.Operands(operands[:0]) { // of a function that is called, or given to another one
				callee, ok := (*v).(*ssa.Function)
				if !ok {
					continue
				}
				if m, ok := callee.Object().(*types.Func); ok && wanted(m) {
					return true
				}
				if callee.Pkg != nil && f.own[callee.Pkg.Pkg.Path()] && f.reaches(callee, seen, wanted) {
					return true
				}
			}
			if c, ok := i.(ssa.CallInstruction); ok && c.Common().IsInvoke() && wanted(c.Common().Method) {
				return true
			}
		}
	}
	return false
}

// routes reports whether a function returns what hands requests to others, and is given more than what it handles.
func routes(sig *types.Signature) bool {
	results := types.NewSignatureType(nil, nil, nil, sig.Results(), nil, false)
	return takesOf(results, routers) || takesOf(results, map[string][]string{"net/http": {"Handler", "Server"}})
}
