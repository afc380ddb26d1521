package generate

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
)

// Plain values that constructors are given: numbers, texts and configurations. What they are for shows in their names. What
// may be the address of the database is.

// mostNested bounds the structs in structs of a configuration.
const mostNested = 4

// plain is a value of a type that is used by a name. It is not made up where the name says that SQL is made of it.
func (f *File) plain(t types.Type, name string, of *types.Package, depth int) (string, bool) {
	if strings.HasPrefix(types.TypeString(t, nil), "time.") {
		return "", false
	}
	conversion := func(text string) (string, bool) {
		if n, ok := types.Unalias(t).(*types.Named); ok {
			if !f.named(n.Obj()) {
				return "", false
			}
			text = types.TypeString(t, types.Qualifier(f.qualify)) + "(" + text + ")"
		}
		return text, true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsString != 0:
			if text, ok := f.textFor(name, of); ok {
				return conversion(text)
			}
		case info&types.IsInteger != 0 && strings.HasSuffix(normal(name), "port"):
			if u.Kind() == types.Int {
				return conversion("port(db.Address(s))")
			}
			return types.TypeString(t, types.Qualifier(f.qualify)) + "(port(db.Address(s)))", true
		case info&types.IsNumeric != 0:
			return "10", true
		case info&types.IsBoolean != 0:
			return "false", true
		}
	case *types.Struct:
		return f.filled(u, t, of, depth)
	case *types.Pointer:
		if s, ok := u.Elem().Underlying().(*types.Struct); ok && near(u.Elem(), of) && configures(s) {
			if text, ok := f.filled(s, u.Elem(), of, depth); ok {
				return "&" + text, true
			}
		}
	}
	return "", false
}

// filled is a struct whose exported fields have plain values, where they can.
func (f *File) filled(s *types.Struct, t types.Type, of *types.Package, depth int) (string, bool) {
	n, isNamed := types.Unalias(t).(*types.Named)
	if depth > mostNested || isNamed && !f.named(n.Obj()) || !isNamed && slices.ContainsFunc(slices.Collect(s.Fields()), func(v *types.Var) bool { return !v.Exported() }) {
		return "", false
	}
	var fields []string
	for v := range s.Fields() {
		if !f.named(v) || !near(t, of) {
			continue
		}
		text, ok := f.zeroOf(v.Type())
		if !ok {
			text, ok = f.plain(v.Type(), v.Name(), of, depth+1)
		}
		if ok && text != "false" {
			fields = append(fields, v.Name()+": "+text)
		}
	}
	return types.TypeString(t, types.Qualifier(f.qualify)) + "{" + strings.Join(fields, ", ") + "}", true
}

// configures reports whether a struct has an exported field that is plain.
func configures(s *types.Struct) bool {
	return slices.ContainsFunc(slices.Collect(s.Fields()), func(v *types.Var) bool {
		switch v.Type().Underlying().(type) {
		case *types.Basic, *types.Struct:
			return v.Exported()
		}
		return false
	})
}

// near reports whether a type is of the same module as a package, as far as their paths tell, or has no name.
func near(t types.Type, of *types.Package) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || of == nil {
		return true
	}
	if n.Obj().Pkg() == nil {
		return false
	}
	return moduleOf(n.Obj().Pkg().Path()) == moduleOf(of.Path())
}

// moduleOf is what the paths of a module's packages begin with, by custom: a host has an owner and a name.
func moduleOf(path string) string {
	parts := strings.Split(path, "/")
	if strings.Contains(parts[0], ".") {
		return strings.Join(parts[:min(3, len(parts))], "/")
	}
	return parts[0]
}

// normal is a name in lower case, without what parts its words.
func normal(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// words are parts of names, and what a text of such a name is. The first that fits counts.
var words = []struct {
	parts []string
	text  string // "" for none that is known
}{
	{[]string{"table", "column", "query", "sql", "collection"}, ""},
	{[]string{"redis", "amqp", "rabbit", "nats", "kafka", "http", "grpc", "jaeger", "sentry", "callback", "avatar", "smtp", "webhook"}, `"app"`},
	{[]string{"dsn", "url", "uri", "connstr", "connectionstring", "datasource", "dbsource"}, "db.DSN(s)"},
	{[]string{"addr", "endpoint"}, "address(db.Address(s))"},
	{[]string{"host", "server"}, "host(db.Address(s))"},
	{[]string{"port"}, "fmt.Sprint(port(db.Address(s)))"},
	{[]string{"sslmode", "ssl", "tls"}, `"disable"`},
	{[]string{"key", "secret", "salt", "token"}, strconv.Quote(strings.Repeat("0123456789abcdef", 2))},
	{[]string{"timezone", "location"}, `"UTC"`},
	{[]string{"charset"}, `"utf8mb4"`},
	{[]string{"level"}, `"error"`},
	{[]string{"timeout", "duration", "interval", "expir", "ttl", "lifetime"}, `"1m"`},
}

// textFor is a text of a name.
func (f *File) textFor(name string, of *types.Package) (string, bool) {
	name = normal(name)
	if strings.Contains(name, "driver") || slices.Contains([]string{"dialect", "type", "engine", "connection", "adapter", "dbtype", "dbengine"}, name) {
		return strconv.Quote(f.driver(of)), true
	}
	for _, w := range words {
		if slices.ContainsFunc(w.parts, func(part string) bool { return strings.Contains(name, part) }) {
			return w.text, w.text != ""
		}
	}
	return `"app"`, true
}

// driver is the name of the driver that a package has for database/sql.
func (f *File) driver(of *types.Package) string {
	if f.dialect == access.MySQL {
		return "mysql"
	}
	if of != nil && !imports(of, "github.com/lib/pq", map[*types.Package]bool{}) && imports(of, "github.com/jackc/pgx/v5/stdlib", map[*types.Package]bool{}) {
		return "pgx"
	}
	return "postgres"
}

// imports reports whether a package imports another one, itself or by others.
func imports(p *types.Package, path string, seen map[*types.Package]bool) bool {
	if seen[p] {
		return false
	}
	seen[p] = true
	return p.Path() == path || slices.ContainsFunc(p.Imports(), func(i *types.Package) bool { return imports(i, path, seen) })
}

// addressHelper is what programs use that give the database's address in parts.
const addressHelper = `
func host(h string, _ int) string { return h }

func port(_ string, p int) int { return p }

func address(h string, p int) string { return fmt.Sprintf("%s:%d", h, p) }
`

// stub is a value of an interface of the application's that does nothing: a log, a mailer or a cache. One that
// locks is not made up, nor one that a type of the application satisfies which leads to the database.
func (f *File) stub(t types.Type) (string, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !n.Obj().Exported() || n.Obj().Pkg() == nil || n.TypeArgs().Len() > 0 {
		return "", false
	}
	i, ok := n.Underlying().(*types.Interface)
	if !ok || i.NumMethods() == 0 || i.NumMethods() > mostMethods || slices.ContainsFunc(f.Stores, func(s types.Type) bool { return types.Implements(s, i) }) {
		return "", false
	}
	key := types.TypeString(t, nil)
	if name := f.stubs[key]; name != "" {
		return name + "{}", true
	}
	var b strings.Builder
	name := fmt.Sprintf("stub%d", len(f.stubs)+1)
	fmt.Fprintf(&b, "\n// %s does nothing.\ntype %[1]s struct{}\n", name)
	for m := range i.Methods() {
		if !m.Exported() || strings.Contains(strings.ToLower(m.Name()), "lock") || !visible(m.Type()) {
			return "", false
		}
		b.WriteString(f.stubbed(name, t, m))
	}
	if f.stubs == nil {
		f.stubs = map[string]string{}
	}
	f.stubs[key] = name
	f.stubCode.WriteString(b.String())
	return name + "{}", true
}

// mostMethods bounds the methods of such an interface.
const mostMethods = 40

// lookups are what the names of methods begin with that find something: a stub has nothing.
var lookups = []string{"Get", "Find", "Load", "Fetch", "Lookup", "Read"}

// stubbed is a method that does nothing. One that looks something up finds nothing, where it can say so.
func (f *File) stubbed(name string, of types.Type, m *types.Func) string {
	sig := m.Type().(*types.Signature)
	var params, results []string
	body := "return"
	for i := range sig.Params().Len() {
		t := types.TypeString(sig.Params().At(i).Type(), types.Qualifier(f.qualify))
		if sig.Variadic() && i == sig.Params().Len()-1 {
			t = "..." + strings.TrimPrefix(t, "[]")
		}
		params = append(params, "_ "+t)
	}
	finds := slices.ContainsFunc(lookups, func(l string) bool { return strings.HasPrefix(m.Name(), l) })
	for i := range sig.Results().Len() {
		t := sig.Results().At(i).Type()
		results = append(results, fmt.Sprintf("r%d %s", i, types.TypeString(t, types.Qualifier(f.qualify))))
		switch {
		case types.Identical(t, of):
			body = fmt.Sprintf("r%d = %s{}; return", i, name)
		case finds && types.TypeString(t, nil) == "error":
			body = fmt.Sprintf("r%d = fmt.Errorf(\"nothing is there\"); return", i)
		}
	}
	return fmt.Sprintf("\nfunc (%s) %s(%s) (%s) { %s }\n", name, m.Name(), strings.Join(params, ", "), strings.Join(results, ", "), body)
}

// visible reports whether other packages can name all types that a type is made of.
func visible(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if !visible(a) {
				return false
			}
		}
		return t.Obj().Pkg() == nil || t.Obj().Exported()
	case *types.Pointer:
		return visible(t.Elem())
	case *types.Slice:
		return visible(t.Elem())
	case *types.Array:
		return visible(t.Elem())
	case *types.Chan:
		return visible(t.Elem())
	case *types.Map:
		return visible(t.Key()) && visible(t.Elem())
	case *types.Signature:
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				if !visible(v.Type()) {
					return false
				}
			}
		}
	}
	return true
}
