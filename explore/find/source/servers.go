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
	return f.reaches(fn, map[*ssa.Function]bool{}, func(m *types.Func) bool { return slices.Contains(listening[owner(m)], m.Name()) })
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
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			c, ok := i.(ssa.CallInstruction)
			if !ok || c.Common().StaticCallee() == nil {
				continue
			}
			callee := c.Common().StaticCallee()
			if m, ok := callee.Object().(*types.Func); ok && wanted(m) {
				return true
			}
			if callee.Pkg != nil && f.own[callee.Pkg.Pkg.Path()] && f.reaches(callee, seen, wanted) {
				return true
			}
		}
	}
	return false
}
