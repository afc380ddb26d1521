package source

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// handle is what leads to the database.
type handle struct {
	kind      kind
	tx        *Transaction // nil outside of transactions
	statement *Statement   // of results
	sql       *Value       // that was prepared
	outside   bool         // a transaction that the caller of the exported function has begun
}

type kind uint8

const (
	connection kind = iota // a pool, or one of its connections
	transaction
	prepared
	rows
	result
)

// libraries are the packages whose types lead to the database.
var libraries = []string{"database/sql", "github.com/jackc/pgx", "github.com/jmoiron/sqlx", "gorm.io/gorm", "github.com/jinzhu/gorm", "github.com/uptrace/bun"}

// errorTellers are more of them, which make statements at run time: their methods that return an error send something.
var errorTellers = []string{
	"xorm.io/xorm", "github.com/go-xorm/xorm", "github.com/go-ozzo/ozzo-dbx", "github.com/doug-martin/goqu", "github.com/go-pg/pg",
	"github.com/zeromicro/go-zero/core/stores/sqlx", "github.com/zeromicro/go-zero/core/stores/sqlc",
}

// isMapper reports whether a library makes its statements at run time.
func isMapper(pkg string) bool {
	return isGorm(pkg) || tellsErrors(pkg) || strings.HasPrefix(pkg, "github.com/uptrace/bun")
}

func isGorm(pkg string) bool {
	return strings.HasPrefix(pkg, "gorm.io") || strings.HasPrefix(pkg, "github.com/jinzhu/gorm")
}

// tellsErrors reports whether the methods of a library that may fail are those that send statements.
func tellsErrors(pkg string) bool {
	return slices.ContainsFunc(errorTellers, func(l string) bool { return pkg == l || strings.HasPrefix(pkg, l+"/") })
}

// ofLibrary is the name of a type of such a package, "" of others.
func ofLibrary(t types.Type) (pkg, name string) {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return "", ""
	}
	path := n.Obj().Pkg().Path()
	if tellsErrors(path) || slices.ContainsFunc(libraries, func(l string) bool { return path == l || strings.HasPrefix(path, l+"/") }) {
		return path, n.Obj().Name()
	}
	return "", ""
}

// leads reports whether a type leads to the database: one of a library, or an interface
// with the methods of several of them, such as sqlc's DBTX.
func leads(t types.Type) bool {
	if pkg, _ := ofLibrary(t); pkg != "" {
		return true
	}
	i, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range i.Methods() {
		if sig := m.Type().(*types.Signature); slices.Contains(senders, m.Name()) && textAt(sig) >= 0 && (!fetches(m.Name()) || sig.Results().Len() == 1 && mayFail(sig)) {
			return true
		}
	}
	return false
}

// fetches reports whether a method stores rows itself, as those of sqlx do. Then all that it returns is whether it has: others
// of these names, such as that of a request's values, or a repository's, return something.
func fetches(name string) bool {
	return strings.HasPrefix(name, "Get") || strings.HasPrefix(name, "Select")
}

// mayFail reports whether the last result is an error.
func mayFail(sig *types.Signature) bool {
	n := sig.Results().Len()
	return n > 0 && types.TypeString(sig.Results().At(n-1).Type(), nil) == "error"
}

// senders are the methods that send a statement at once.
var senders = []string{
	"Exec", "ExecContext", "Query", "QueryContext", "QueryRow", "QueryRowContext",
	"MustExec", "MustExecContext", "Queryx", "QueryxContext", "QueryRowx", "QueryRowxContext",
	"Get", "GetContext", "Select", "SelectContext",
}

// textAt is the place of the first parameter that is a text, -1 without any.
func textAt(sig *types.Signature) int {
	for i := range sig.Params().Len() {
		if b, ok := sig.Params().At(i).Type().Underlying().(*types.Basic); ok && b.Kind() == types.String {
			return i
		}
	}
	return -1
}

// database looks at a method's call when its receiver leads to the database.
func (f *frame) database(m *types.Func, recv *Value, static types.Type, args []*Value, pos token.Pos) (*Value, bool) {
	if recv.Op != Handle && !leads(static) {
		return nil, false
	}
	h := f.handleOf(recv, static)
	if h == nil {
		return nil, false
	}
	pkg, _ := ofLibrary(static)
	switch name := m.Name(); {
	case isMapper(pkg):
		return f.mapper(m, h, args, pos), true
	case slices.Contains(senders, name) && h.kind != rows && h.kind != result:
		return f.sends(m, h, args, pos), true
	case strings.HasPrefix(name, "Begin") || strings.HasPrefix(name, "MustBegin"):
		return resultsOf(m, f.begins(h, args, pos)), true
	case strings.HasPrefix(name, "Prepare"):
		at := textAt(m.Type().(*types.Signature))
		if at < 0 || h.kind == prepared {
			return nil, false
		}
		return resultsOf(m, &Value{Op: Handle, handle: &handle{kind: prepared, tx: h.tx, sql: args[at], outside: h.outside}}), true
	case strings.HasPrefix(name, "Stmt"):
		of := f.handleOf(args[len(args)-1], nil)
		if of == nil {
			return nil, false
		}
		return &Value{Op: Handle, handle: &handle{kind: prepared, tx: h.tx, sql: of.sql, outside: h.outside}}, true
	case name == "Conn" || name == "Acquire" || name == "WithContext":
		return resultsOf(m, &Value{Op: Handle, handle: h}), true
	case name == "SendBatch" || name == "CopyFrom" || strings.HasPrefix(name, "Named"):
		f.open(pos, name+" is not understood: send the statement by Exec or Query")
		return f.foreign(name, m.Type().(*types.Signature), nil, pos), true
	}
	return f.answers(m, h, args)
}

// answers looks at a method of what a statement has returned.
func (f *frame) answers(m *types.Func, h *handle, args []*Value) (*Value, bool) {
	if h.statement == nil {
		return resultsOf(m, unknown), true
	}
	s := h.statement
	failed := &Value{Op: Failed, Statement: s}
	switch m.Name() {
	case "Scan":
		f.scans(s, args[len(args)-1])
		return failed, true
	case "StructScan":
		f.fills(s, args[0])
		return failed, true
	case "Next":
		return &Value{Op: Exists, Statement: s}, true
	case "RowsAffected", "LastInsertId":
		v := &Value{Op: Count, Statement: s}
		if m.Name() == "LastInsertId" {
			v = &Value{Op: Result, Statement: s}
		}
		if m.Type().(*types.Signature).Results().Len() == 1 {
			return v, true
		}
		return &Value{Op: Tuple, Args: []*Value{v, failed}}, true
	case "Err":
		return failed, true
	}
	return resultsOf(m, unknown), true
}

// scans stores the columns of a row.
func (f *frame) scans(s *Statement, to *Value) {
	for i, e := range to.elements() {
		if c, ok := f.target(e); ok {
			c.store(&Value{Op: Result, Index: i, Statement: s}, true)
		}
	}
}

// fills stores a row in a variable: of a struct, column by column in the order of its
// fields.
func (f *frame) fills(s *Statement, to *Value) {
	c, ok := f.target(to)
	if !ok {
		return
	}
	c.object.cells[c.path] = &Value{Op: Result, Statement: s}
	if to.Type == nil {
		return
	}
	p, ok := to.Type.Underlying().(*types.Pointer)
	if !ok {
		return
	}
	fields, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		return
	}
	delete(c.object.cells, c.path)
	for i := range fields.NumFields() {
		c.at("."+fields.Field(i).Name()).store(&Value{Op: Result, Index: i, Statement: s}, true)
	}
}

// handleOf is the handle that a value is. What is not known, of a type that leads to the
// database, is a connection, or a transaction of the caller's.
func (f *frame) handleOf(v *Value, static types.Type) *handle {
	if v.Op == Either {
		for _, a := range v.Args {
			if a.Op == Handle {
				return a.handle
			}
		}
	}
	if v.Op == Handle {
		return v.handle
	}
	if static == nil {
		return nil
	}
	if v.Type != nil && leads(v.Type) {
		static = v.Type
	} else if v.Op != Param && v.Op != Unknown && v.Op != Apply && !isPointer(static) {
		return nil // an own type behind an interface
	}
	switch _, name := ofLibrary(static); name {
	case "Tx":
		return &handle{kind: transaction, outside: true}
	case "Stmt", "Rows", "Row", "Result", "CommandTag":
		return nil
	}
	return &handle{kind: connection}
}

func isPointer(t types.Type) bool {
	_, ok := t.(*types.Pointer)
	return ok
}

// resultsOf is a function's result of which the first value is known.
func resultsOf(m *types.Func, first *Value) *Value {
	n := m.Type().(*types.Signature).Results().Len()
	if n == 1 {
		return first
	}
	t := &Value{Op: Tuple}
	for i := range n {
		v := unknown
		if i == 0 {
			v = first
		}
		t.Args = append(t.Args, v)
	}
	return t
}

// begins begins a transaction; inside one it is a savepoint.
func (f *frame) begins(h *handle, args []*Value, pos token.Pos) *Value {
	if h.tx != nil || h.outside {
		return &Value{Op: Handle, handle: h}
	}
	tx := f.newTransaction(pos, false)
	for _, a := range args {
		if level := f.level(a); level != "" {
			tx.Level = level
		}
	}
	return &Value{Op: Handle, handle: &handle{kind: transaction, tx: tx}}
}

func (f *frame) newTransaction(pos token.Pos, auto bool) *Transaction {
	tx := &Transaction{Call: f.call, Name: f.name(), At: f.position(pos), Pos: pos, Auto: auto}
	f.call.Transactions = append(f.call.Transactions, tx)
	return tx
}

// name is that of the function in the source that is looked at.
func (f *frame) name() string {
	fn := f.fn
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn.Name()
}

// level is what options of a transaction ask for.
func (f *frame) level(v *Value) string {
	if v.Op == Const && v.Const.Kind() == constant.String { // of a struct's only field
		return ""
	}
	c, ok := f.target(v)
	if !ok {
		return ""
	}
	for _, field := range []string{".Isolation", ".IsoLevel"} {
		l := c.at(field).load(nil)
		if l.Op != Const {
			continue
		}
		if l.Const.Kind() == constant.String {
			return levels[constant.StringVal(l.Const)]
		}
		return levels[l.Const.String()]
	}
	return ""
}

// levels are database/sql's numbers (type sql.IsolationLevel), and pgx's names.
var levels = map[string]string{
	"1": "rc", "2": "rc", "4": "rr", "5": "rr", "6": "ser",
	"read uncommitted": "rc", "read committed": "rc", "repeatable read": "rr", "serializable": "ser",
}
