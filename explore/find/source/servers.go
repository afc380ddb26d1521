package source

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Functions that run a server: they are parts of programs.

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

// listens reports whether a function waits for requests, by itself or by a function of the module that it calls or declares.
func (f *finder) listens(fn *ssa.Function, seen map[*ssa.Function]bool) bool {
	if seen[fn] {
		return false
	}
	seen[fn] = true
	for _, inner := range fn.AnonFuncs {
		if f.listens(inner, seen) {
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
			if m, ok := callee.Object().(*types.Func); ok && slices.Contains(listening[owner(m)], m.Name()) {
				return true
			}
			if callee.Pkg != nil && f.own[callee.Pkg.Pkg.Path()] && f.listens(callee, seen) {
				return true
			}
		}
	}
	return false
}
