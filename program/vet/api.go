package vet

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// The packages that client programs know the API by.
const (
	rootPath    = "github.com/txmc/txmc"
	programPath = rootPath + "/program"
	checkPath   = rootPath + "/check"
	pgPath      = rootPath + "/pg"
	mysqlPath   = rootPath + "/mysql"
)

// call is what a call of the API does.
type call uint8

const (
	foreign call = iota // not of the API
	silent              // nothing that exploration sees
	declare             // declares a variable, session, Setup, Final or Invariant
	begin               // starts a transaction
	access              // reads or writes
	end                 // commits or aborts
	record              // observes or asserts
	enter               // explores the function that it is given
)

// operates reports whether the order of such calls matters.
func (c call) operates() bool {
	return c == declare || c == begin || c == access || c == end || c == record
}

var apiCalls = map[string]call{
	"NewVar": declare, "Check": enter, "NewClient": enter,
	"Program.Setup": declare, "Program.Session": declare, "Program.Sessions": declare, "Program.Final": declare, "Program.Invariant": declare,
	"New": declare, "DB.Final": declare, // of packages pg and mysql
	"Session.Txn": begin, "Session.Begin": begin,
	"Session.Observe": record, "Session.Assert": record, "Session.Assertf": record,
	"Tx.Read": access, "Tx.Write": access, "Tx.Commit": end, "Tx.Rollback": end,
	"Var.Get": access, "Var.Set": access,
}

// apiCall classifies a function. name is as in "Session.Txn".
func apiCall(f *types.Func) (c call, name string) {
	if f == nil || f.Pkg() == nil || !isAPI(f.Pkg()) {
		return foreign, ""
	}
	name = f.Name()
	if recv := f.Signature().Recv(); recv != nil {
		if named := namedType(recv.Type()); named != nil {
			name = named.Obj().Name() + "." + name
		}
	}
	if c := apiCalls[name]; c != foreign {
		return c, name
	}
	return silent, name
}

// isAPI reports whether a package is what sessions call, and is not client code.
func isAPI(p *types.Package) bool { return API(p.Path()) }

// API reports whether a package is what client programs are written with, which
// is never inspected itself.
func API(path string) bool {
	return path == rootPath || path == programPath || path == checkPath || isDatabase(path)
}

// isDatabase reports whether a package evaluates the statements of SQL programs.
func isDatabase(path string) bool { return path == pgPath || path == mysqlPath }

// drivers are packages whose connections, in a SQL program, lead to such a package.
var drivers = []string{"database/sql", "github.com/jackc/", "github.com/lib/pq", "github.com/go-sql-driver/mysql", "github.com/jmoiron/sqlx", "gorm.io/", "xorm.io/", "entgo.io/"}

// drives reports whether a function is a driver's and the package's programs are
// SQL programs.
func (x *inspection) drives(f *types.Func) bool {
	sql := slices.ContainsFunc(x.pkg.Imports(), func(p *types.Package) bool { return isDatabase(p.Path()) })
	return sql && slices.ContainsFunc(drivers, func(d string) bool { return strings.HasPrefix(f.Pkg().Path(), d) })
}

// likeTx reports whether an interface's method is one that a Tx has: the
// interface may stand for it.
func likeTx(f *types.Func) bool {
	params, results := f.Signature().Params(), f.Signature().Results()
	switch f.Name() {
	case "Read":
		return params.Len() == 1 && isString(params.At(0).Type()) && results.Len() == 1 && isAny(results.At(0).Type())
	case "Write":
		return params.Len() == 2 && isString(params.At(0).Type()) && isAny(params.At(1).Type()) && results.Len() == 0
	}
	return false
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.String
}

func isAny(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.Empty()
}

// namedType is the named type that t is or points to.
func namedType(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// isHandle reports whether t is *Tx, *Session or *Program, the handles without
// which no operation is performed; name is one of these names, or "" for any.
func isHandle(t types.Type, name string) bool {
	if _, ok := types.Unalias(t).Underlying().(*types.Pointer); !ok {
		return false
	}
	named := namedType(t)
	if named == nil || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != programPath {
		return false
	}
	switch got := named.Obj().Name(); got {
	case "Tx", "Session", "Program":
		return name == "" || name == got
	}
	return false
}

// callee is the function that is called, if that is known without looking at
// values; an interface's method when it is one.
func callee(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method
	}
	if f := c.StaticCallee(); f != nil {
		return object(f)
	}
	return nil
}

// arguments are those of a call with the receiver as the first, which a method
// value keeps for itself.
func arguments(c *ssa.CallCommon) []ssa.Value {
	if m, ok := c.Value.(*ssa.MakeClosure); ok && isMethodValue(m.Fn.(*ssa.Function)) {
		return append(slices.Clone(m.Bindings), c.Args...)
	}
	return c.Args
}

// isMethodValue reports whether f calls a method of a receiver that it keeps.
func isMethodValue(f *ssa.Function) bool {
	return strings.HasPrefix(f.Synthetic, "bound method wrapper")
}

// object is the declared function that f is or stands for; nil for literals.
func object(f *ssa.Function) *types.Func {
	obj, _ := origin(f).Object().(*types.Func)
	if obj == nil {
		return nil
	}
	return obj.Origin()
}

// origin is the generic function that f is an instance of, or f.
func origin(f *ssa.Function) *ssa.Function {
	if o := f.Origin(); o != nil {
		return o
	}
	return f
}

// kindOf classifies a call.
func kindOf(c *ssa.CallCommon) (call, string) {
	f := callee(c)
	if c.IsInvoke() && likeTx(f) {
		return access, f.Name()
	}
	return apiCall(f)
}
