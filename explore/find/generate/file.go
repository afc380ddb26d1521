// Package generate writes Go files with Explore functions: each runs calls of an
// application at the same time, and asks for nothing but serializable outcomes.
package generate

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/configure"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/program/load"
)

// Program is an Explore function to write.
type Program struct {
	Name    string // ExploreXxx
	Comment string // what it is about, in a line
	Config  *configure.Config
	Variant configure.Variant
	Changes []Change
	Retries int  // how often a call is made again after 40001 or 40P01
	Refuses bool // outcomes do not tell one error from another
	Records bool // what the calls send is kept, and nothing is asked
	Ends    bool // nothing is asked but that no call is ended by a deadlock, or by waiting for too long
	Whole   bool // outcomes are those of orders of the calls, not of their transactions

	Invariants []*types.Func // of the application, that are asked in the end
}

// Invariants is the name under which broken invariants of the application are reported; each
// has a line of its own, which begins with the function's name.
const Invariants = "invariants of the application"

// Change is a change of what a call does.
type Change struct {
	Call            int    // of the configuration's
	Level           string // that its transactions begin with where they ask for none; "" as they are
	Statement, With string // a statement's text, and what is sent in its place; "" as it is
	Schema          string // SQL that follows the schema, of all calls; "" for none
}

// options are the changes as options of the database's New.
func (p *Program) options(database string) string {
	var b strings.Builder
	for _, c := range p.Changes {
		if c.Schema != "" {
			fmt.Fprintf(&b, ", %s.Schema(%s)", database, literal(c.Schema))
			continue
		}
		session := Session(c.Call, p.Config.Calls[c.Call])
		if c.Level != "" {
			fmt.Fprintf(&b, ", %s.Begins(%q, %q)", database, session, c.Level)
		}
		if c.Statement != "" {
			fmt.Fprintf(&b, ", %s.Instead(%q, %s, %s)", database, session, literal(c.Statement), literal(c.With))
		}
	}
	return b.String()
}

// File is a file with Explore functions.
type File struct {
	Package string         // its name
	Schema  string         // SQL
	Sets    load.Variables // package-level variables that the functions set
	Application

	dialect access.Dialect
	imports map[string]string // names by path
	used    map[string]bool   // names
	ends    bool              // some calls are asked how they have ended
	retries bool              // some calls are made again
	asked   bool              // invariants are
	body    bytes.Buffer
	stubbing
}

// Application is what is known of it.
type Application struct {
	Makers []*types.Func // functions that make values which lead to the database
	Stores []types.Type  // types that lead there
	Gorm   GormConfig

	Environment map[string]bool // variables of the environment that it asks for

	Own *types.Package // a package main that the file is a part of; nil: it is of a package of its own
}

// stubbing is what takes the place of interfaces of the application.
type stubbing struct {
	ways     map[string]string // functions that hand requests to handlers, by their names
	stubs    map[string]string // names by types
	stubCode bytes.Buffer
}

// NewFile begins a file of the package.
func NewFile(pkg, schema string, d access.Dialect) *File {
	f := &File{Package: pkg, Schema: schema, dialect: d, imports: map[string]string{}, used: map[string]bool{}}
	for _, p := range []string{"encoding/json", "fmt", "github.com/txmc/txmc", f.databasePackage()} {
		f.name(p, path.Base(p))
	}
	for _, taken := range []string{"p", "s", "db", "app", "schema", "seen", "must", "again", "n", "kept", "invariant", "ref", "value", "host", "port", "address", "first", "mustFirst", "ended", "request", "words", "status", "answered", "accepting", "word", "localValue"} {
		f.used[taken] = true
	}
	return f
}

// name is the name under which the file imports a package.
func (f *File) name(importPath, name string) string {
	if known := f.imports[importPath]; known != "" {
		return known
	}
	for i := 2; f.used[name]; i++ {
		name = strings.TrimRight(name, "0123456789") + strconv.Itoa(i)
	}
	f.imports[importPath], f.used[name] = name, true
	return name
}

func (f *File) qualify(p *types.Package) string {
	if f.within(p) {
		return ownName
	}
	return f.name(p.Path(), p.Name())
}

// Add adds a function. The error says why the calls cannot be written.
func (f *File) Add(p Program) error {
	var calls strings.Builder
	for i, call := range p.Config.Calls {
		text, err := f.session(p, i, call)
		if err != nil {
			return err
		}
		calls.WriteString(text)
	}
	calls.WriteString(f.invariants(p.Invariants))
	database := path.Base(f.databasePackage())
	fmt.Fprintf(&f.body, "\n// %s: %s.\nfunc %[1]s(p *txmc.Program) {\n", p.Name, p.Comment)
	fmt.Fprintf(&f.body, "\t%s%s.New(p, %[2]s.Schema(schema), %[2]s.Seed(%s)%s)\n", declaration(calls.String()), database, literal(p.Config.Seed(p.Variant)), p.options(database)+f.recorded(&p))
	f.body.WriteString(calls.String())
	switch {
	case p.Ends: // which calls are asked themselves
	case p.Whole:
		f.body.WriteString("\tp.SerialSessions(\"one after another\")\n")
	case !p.Records:
		f.body.WriteString("\tp.Serializable(\"serializable\")\n")
	}
	f.body.WriteString("}\n")
	return nil
}

// declaration declares db, where code uses it: Go refuses a variable that nothing uses.
func declaration(code string) string {
	if strings.Contains(code, "db.") {
		return "db := "
	}
	return ""
}

// invariants is the declaration of what is asked in the end.
func (f *File) invariants(list []*types.Func) string {
	if len(list) == 0 {
		return ""
	}
	f.asked = true
	var b strings.Builder
	fmt.Fprintf(&b, "\tdb.Final(%q, kept(\n", Invariants)
	for _, fn := range list {
		f.name("context", "context")
		f.name("database/sql", "sql")
		f.name("errors", "errors")
		fmt.Fprintf(&b, "\t\tinvariant{%q, %s.%s},\n", fn.Name(), f.qualify(fn.Pkg()), fn.Name())
	}
	b.WriteString("\t))\n")
	return b.String()
}

// Session is the name of the session of a call.
func Session(i int, call *source.Call) string { return fmt.Sprintf("%s %d", call.Func.Name(), i+1) }

// session is the declaration of the session of a call.
func (f *File) session(p Program, i int, call *source.Call) (string, error) {
	args, err := p.Config.Arguments(i, p.Variant, f.qualify, f.leading)
	if err != nil {
		return "", fmt.Errorf("%s: %w", call.Name, err)
	}
	sig := call.Takes()
	target := f.qualify(call.Func.Pkg())
	var b strings.Builder
	fmt.Fprintf(&b, "\tp.Session(%q, func(s *txmc.Session) {\n", Session(i, call))
	set, err := f.variables(call)
	if err != nil {
		return "", fmt.Errorf("%s: %w", call.Name, err)
	}
	b.WriteString(f.making(&p) + set)
	if call.On != nil {
		b.WriteString(f.environment())
		text, err := f.receiver(call)
		if err != nil {
			return "", fmt.Errorf("%s: %w", call.Name, err)
		}
		b.WriteString(text)
		target = "app"
	}
	b.WriteString(f.begun(&p))
	var results []string
	for k := range sig.Results().Len() {
		results = append(results, fmt.Sprintf("r%d", k))
	}
	invocation := fmt.Sprintf("%s.%s(%s)", target, call.Func.Name(), strings.Join(args, ", "))
	if call.Handler != nil {
		if invocation, err = f.requested(call, target, args); err != nil {
			return "", err
		}
	}
	if p.Retries > 0 {
		text, err := f.again(p, call, invocation, results)
		b.WriteString(text + "\t})\n")
		return b.String(), err
	}
	if p.Ends && call.Handler != nil {
		f.ends = true
		fmt.Fprintf(&b, "\t\terr := errors.New(%s)\n\t\ts.Assert(!ended(err), err)\n", invocation)
		f.name("errors", "errors")
	} else if n := len(results); p.Ends && n > 0 && types.TypeString(sig.Results().At(n-1).Type(), nil) == "error" {
		f.ends = true
		blank := strings.Repeat("_, ", n-1)
		fmt.Fprintf(&b, "\t\t%serr := %s\n\t\ts.Assert(!ended(err), err)\n", blank, invocation)
	} else if p.Ends {
		return "", fmt.Errorf("%s returns no error that says how it has ended", call.Name)
	} else if n > 0 {
		fmt.Fprintf(&b, "\t\t%s := %s\n%s\t\ts.Observe(%q, seen(%s))\n", strings.Join(results, ", "), invocation, failing(call, results), call.Func.Name(), f.observed(p, call, results))
	} else {
		b.WriteString("\t\t" + invocation + "\n")
	}
	b.WriteString("\t})\n")
	return b.String(), nil
}

// again makes a call again while the database says that it may succeed then. It has to
// succeed in the end.
func (f *File) again(p Program, call *source.Call, invocation string, results []string) (string, error) {
	sig := call.Takes()
	n := sig.Results().Len()
	if n == 0 || types.TypeString(sig.Results().At(n-1).Type(), nil) != "error" {
		return "", fmt.Errorf("%s returns no error that says that it may be made again", call.Name)
	}
	f.retries = true
	f.againImports()
	var b strings.Builder
	last := results[n-1]
	fmt.Fprintf(&b, "\t\t%s := %s\n", strings.Join(results, ", "), invocation)
	fmt.Fprintf(&b, "\t\tfor n := 0; n < %d && again(%s); n++ {\n\t\t\t%s = %s\n\t\t}\n", p.Retries, last, strings.Join(results, ", "), invocation)
	fmt.Fprintf(&b, "\t\ts.Assert(!again(%s), %[1]s)\n\t\ts.Observe(%q, seen(%s))\n", last, call.Func.Name(), f.observed(p, call, results))
	return b.String(), nil
}

// receiver makes the value whose method is called.
func (f *File) receiver(call *source.Call) (string, error) {
	if call.New == nil {
		return f.composed(call)
	}
	made := call.New.Type().(*types.Signature)
	args, err := f.given(made)
	if err != nil {
		return "", fmt.Errorf("%w of %s cannot be made up: name another function by --new", err, call.New.Name())
	}
	text := fmt.Sprintf("%s.%s(%s)", f.qualify(call.New.Pkg()), call.New.Name(), strings.Join(args, ", "))
	if source.Taken(made) == "" {
		return "", fmt.Errorf("%s returns more than a value and an error: name another function by --new", call.New.Name())
	}
	return "\t\tapp := " + f.took(made, text) + "\n", nil
}

// composed makes a receiver without a function: its exported fields, or package-level variables, lead to the database.
func (f *File) composed(call *source.Call) (string, error) {
	pointer, t := "", call.On
	if p, ok := t.(*types.Pointer); ok {
		pointer, t = "&", p.Elem()
	}
	name := types.TypeString(t, types.Qualifier(f.qualify))
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return "", fmt.Errorf("nothing makes a %s: name a function by --new", name)
	}
	fields, leads := f.fields(s)
	if !leads && s.NumFields() > 0 && len(call.Variables) == 0 {
		return "", fmt.Errorf("nothing makes a %s: name a function by --new", name)
	}
	return fmt.Sprintf("\t\tapp := %s%s{%s}\n", pointer, name, strings.Join(fields, ", ")), nil
}

// literal is a text as Go code, readable where that is possible.
func literal(s string) string {
	if strings.Contains(s, "`") || strings.Contains(s, "\r") {
		var lines []string
		for line := range strings.Lines(s) {
			lines = append(lines, strconv.Quote(line))
		}
		return strings.Join(lines, " +\n\t\t")
	}
	return "`" + s + "`"
}

// Source is the file's text.
func (f *File) Source() ([]byte, error) {
	code := strings.ReplaceAll(f.code(), ownName+".", "")
	code, err := f.apart(code)
	if err != nil {
		return nil, err
	}
	used, err := packages(code)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by txmc find. DO NOT EDIT.\n\n%s// Package %s runs calls at the same time that may not be serializable.\npackage %[2]s\n\nimport (\n", f.language(), f.Package)
	for _, p := range slices.Sorted(maps.Keys(f.imports)) {
		name := f.imports[p]
		if !used[name] { // of what turned out not to be writable
			continue
		}
		if path.Base(p) == name {
			name = ""
		}
		fmt.Fprintf(&b, "\t%s %q\n", name, p)
	}
	b.WriteString(")\n\n" + code)
	return format.Source(b.Bytes())
}

// code is the text behind the imports.
func (f *File) code() string {
	var b strings.Builder
	fmt.Fprintf(&b, "const schema = %s\n", literal(f.Schema))
	b.Write(f.body.Bytes())
	b.Write(f.stubCode.Bytes())
	b.WriteString(f.requestHelpers())
	b.WriteString(helpers)
	if text := f.body.String(); strings.Contains(text, "first(") || strings.Contains(text, "mustFirst(") {
		b.WriteString(takenHelper)
	}
	if strings.Contains(f.body.String(), "(db.Address(s))") {
		b.WriteString(addressHelper)
	}
	if text := f.body.String(); strings.Contains(text, "ref[") || strings.Contains(text, "value[") {
		b.WriteString(strings.ReplaceAll(madeHelper, "time.", f.name("time", "time")+"."))
	}
	if f.retries {
		b.WriteString(f.againHelper())
	}
	if f.ends {
		b.WriteString(strings.ReplaceAll(endedHelper, "strings.", f.name("strings", "strings")+"."))
	}
	if f.asked {
		b.WriteString(keptHelper)
	}
	return b.String()
}

// packages are the names before a dot in code, those of packages among them.
func packages(code string) (map[string]bool, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	return used, nil
}
