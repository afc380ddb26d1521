package generate

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/txmc/txmc/explore/find/source"
)

// Calls that handle requests: the function is given a request of its framework with what the code asks for, and the answer is
// what the call returns.

// requested is the call of a function that handles requests.
func (f *File) requested(call *source.Call, target string, args []string) (string, error) {
	h := call.Handler
	handler := target + "." + call.Func.Name()
	if h.Made {
		given, err := f.given(call.Func.Type().(*types.Signature))
		if err != nil {
			return "", fmt.Errorf("%s: %w cannot be made up", call.Name, err)
		}
		handler += "(" + strings.Join(given, ", ") + ")"
	}
	if h.Serves {
		handler += ".ServeHTTP"
	}
	var parts []string
	pairs := map[source.Place][]string{}
	for i, in := range h.Inputs {
		switch in.Place {
		case source.Body:
			parts = append(parts, "body: "+args[i])
		case source.Queries:
			parts = append(parts, "queries: "+args[i])
		case source.Paths:
			parts = append(parts, "paths: "+args[i])
		case source.Local:
			if args[i] != "nil" {
				pairs[in.Place] = append(pairs[in.Place], "{"+f.key(in)+", "+args[i]+"}")
			}
		default:
			pairs[in.Place] = append(pairs[in.Place], fmt.Sprintf("{%q, fmt.Sprint(%s)}", in.Name, args[i]))
		}
	}
	for _, place := range []source.Place{source.Path, source.Query, source.Form, source.Header, source.Local} {
		if list := pairs[place]; len(list) > 0 {
			kind := "[]word"
			if place == source.Local {
				kind = "[]localValue"
			}
			parts = append(parts, fmt.Sprintf("%s: %s{%s}", place, kind, strings.Join(list, ", ")))
		}
	}
	way := f.way(h)
	return fmt.Sprintf("%s(%s, &request{%s})", way, handler, strings.Join(parts, ", ")), nil
}

// key is what a value that was set before is found by.
func (f *File) key(in *source.Input) string {
	if in.Key != nil {
		return f.qualify(in.Key.Pkg()) + "." + in.Key.Name()
	}
	return fmt.Sprintf("%q", in.Name)
}

// way is the function that hands a request to one that handles it. There is one for each framework, and each router.
func (f *File) way(h *source.Handler) string {
	var name, code string
	pkg := ""
	if h.Framework != source.HTTP {
		pkg = f.qualify(h.Package)
	}
	switch h.Framework {
	case source.Gin:
		name, code = "by"+pkg, ginHelper
	case source.Echo:
		name, code = "by"+pkg, echoHelper
		if strings.HasSuffix(h.Package.Path(), "/v5") {
			code = strings.ReplaceAll(code, "(c echo.Context)", "(c *echo.Context)")
		}
	case source.Fiber:
		f.name("github.com/valyala/fasthttp", "fasthttp")
		name, code = "by"+pkg, fiberHelper
		if strings.HasSuffix(h.Package.Path(), "/v3") {
			code = strings.ReplaceAll(code, "*fiber.Ctx", "fiber.Ctx")
		}
	default:
		name, code = "byHTTP", httpHelper
		var router string
		switch {
		case h.Chi != nil:
			name, router = "byChi", chiRouter(f.qualify(h.Chi))
		case h.Gorilla != nil:
			name, router = "byGorilla", gorillaRouter(f.qualify(h.Gorilla))
		}
		code = strings.ReplaceAll(code, "byHTTP", name)
		code = strings.Replace(code, "\t// router\n", router, 1)
	}
	if f.ways == nil {
		f.ways = map[string]string{}
		for _, path := range []string{"bytes", "context", "net/http", "net/http/httptest", "net/url", "reflect", "strings"} {
			f.name(path, path[strings.LastIndex(path, "/")+1:])
		}
	}
	if h.Framework != source.HTTP {
		original := map[source.Framework]string{source.Gin: "gin", source.Echo: "echo", source.Fiber: "fiber"}[h.Framework]
		code = strings.ReplaceAll(strings.ReplaceAll(code, original+".", pkg+"."), "by"+original, name)
	}
	f.ways[name] = code
	return name
}
