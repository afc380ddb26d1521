package load

import (
	"go/ast"
	"go/token"

	"github.com/txmc/txmc/program/vet"
)

// variable is a package-level variable, and how functions mention it.
type variable struct {
	name    string
	at      token.Position // where it is changed first, else where it is declared
	ignored bool           // a comment says so
	read    bool           // beyond what changes it
	written bool
	once    bool // changed in functions given to a Do only
}

// mentions notes how code mentions package-level variables. A variable is not read when
// it is only counted up, set, or told to do something whose result nobody takes. A
// counter of metrics is such a variable: its value decides nothing.
type mentions struct {
	fset     *token.FileSet
	vars     map[string]*variable
	specs    map[*ast.ValueSpec]bool // of package-level variables
	ignored  map[int]bool            // lines of the file
	imports  map[string]string       // of the file: paths by name
	selected map[string]bool         // path.Name of variables of other packages
	settings map[string]*setting     // of other packages that are changed here, by path.Name
}

// declared adds the variables that a file declares.
func (m *mentions) declared(file *ast.File) {
	ignored := vet.Ignored(m.fset, file, "global")
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			spec := s.(*ast.ValueSpec)
			m.specs[spec] = true
			for _, id := range spec.Names {
				if at := m.fset.Position(id.Pos()); id.Name != "_" {
					m.vars[id.Name] = &variable{name: id.Name, at: at, ignored: ignored[at.Line]}
				}
			}
		}
	}
}

// file walks through the functions of a file.
func (m *mentions) file(file *ast.File) {
	m.ignored, m.imports = vet.Ignored(m.fset, file, "global"), importNames(file)
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && !(f.Recv == nil && f.Name.Name == "init") {
			m.in(f.Body)
		}
	}
}

// in walks through a function.
func (m *mentions) in(body ast.Node) {
	onces := false
	var walk func(n ast.Node) bool
	walk = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := doneOnce(n); ok && !onces {
				onces = true
				ast.Inspect(f, walk)
				onces = false
				return false
			}
		case *ast.ExprStmt:
			return !m.updatesAlone(n, onces, walk)
		case *ast.IncDecStmt:
			return !m.set(n.X, n, onces)
		case *ast.AssignStmt:
			m.assigned(n, onces, walk)
			return false
		case *ast.SelectorExpr:
			if path := m.qualifier(n); path != "" {
				m.selected[path+"."+n.Sel.Name] = true
				m.changedBy(path, n.Sel.Name, n)
				return false
			}
			ast.Inspect(n.X, walk)
			return false
		case *ast.KeyValueExpr:
			if _, field := n.Key.(*ast.Ident); !field {
				ast.Inspect(n.Key, walk)
			}
			ast.Inspect(n.Value, walk)
			return false
		case *ast.Ident:
			if v := m.variable(n); v != nil {
				v.read = true
				v.ignored = v.ignored || m.ignored[m.fset.Position(n.Pos()).Line]
			}
		}
		return true
	}
	ast.Inspect(body, walk)
}

// doneOnce is the function literal that a call hands to the Do of a sync.Once.
func doneOnce(c *ast.CallExpr) (ast.Node, bool) {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Do" || len(c.Args) != 1 {
		return nil, false
	}
	f, ok := c.Args[0].(*ast.FuncLit)
	return f, ok
}

// updatesAlone handles calls such as hits.Add(1) and atomic.AddInt64(&hits, 1) that stand
// alone, and reports whether n is one.
func (m *mentions) updatesAlone(n *ast.ExprStmt, once bool, walk func(ast.Node) bool) bool {
	c, ok := n.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	if _, once := doneOnce(c); once {
		return false
	}
	if s, ok := c.Fun.(*ast.SelectorExpr); ok && m.set(s.X, n, once) {
		for _, a := range c.Args {
			ast.Inspect(a, walk)
		}
		return true
	}
	if len(c.Args) == 0 {
		return false
	}
	first, ok := c.Args[0].(*ast.UnaryExpr)
	s, qualified := c.Fun.(*ast.SelectorExpr)
	if !ok || !qualified || first.Op != token.AND {
		return false
	}
	if pkg, ok := s.X.(*ast.Ident); !ok || pkg.Name != "atomic" || !m.set(first.X, n, once) {
		return false
	}
	for _, a := range c.Args[1:] {
		ast.Inspect(a, walk)
	}
	return true
}

// assigned handles an assignment: what is assigned to is written, the rest read.
// The variable's own old value does not count.
func (m *mentions) assigned(n *ast.AssignStmt, once bool, walk func(ast.Node) bool) {
	for _, left := range n.Lhs {
		if m.set(left, n, once) {
			continue
		}
		ast.Inspect(left, walk)
	}
	for _, right := range n.Rhs {
		if c, ok := right.(*ast.CallExpr); ok && len(n.Lhs) == 1 && m.appends(c, n.Lhs[0]) {
			for _, a := range c.Args[1:] {
				ast.Inspect(a, walk)
			}
			continue
		}
		ast.Inspect(right, walk)
	}
}

// appends reports whether a call appends to the variable left, so that left is not
// read where it is assigned to.
func (m *mentions) appends(c *ast.CallExpr, left ast.Expr) bool {
	f, ok := c.Fun.(*ast.Ident)
	if !ok || f.Name != "append" || len(c.Args) == 0 {
		return false
	}
	to, ok := left.(*ast.Ident)
	from, same := c.Args[0].(*ast.Ident)
	return ok && same && to.Name == from.Name
}

// qualifier is the path of the package that e selects from, "" when that is none.
func (m *mentions) qualifier(e ast.Expr) string {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if id, ok := s.X.(*ast.Ident); ok && id.Obj == nil {
		return m.imports[id.Name]
	}
	return ""
}

// set notes that e, a variable itself, is changed there; false when it is none.
func (m *mentions) set(e ast.Expr, at ast.Node, once bool) bool {
	if path := m.qualifier(e); path != "" {
		if _, assigned := at.(*ast.AssignStmt); assigned {
			m.changed(path, e.(*ast.SelectorExpr).Sel.Name, at)
		}
		return true // its own package knows who reads it
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	v := m.variable(id)
	if v == nil {
		return false
	}
	pos := m.fset.Position(at.Pos())
	if !v.written {
		v.written, v.once, v.at = true, once, pos
	}
	v.once = v.once && once
	v.ignored = v.ignored || m.ignored[pos.Line]
	return true
}

// variable is the package-level variable that an identifier names, or nil.
func (m *mentions) variable(id *ast.Ident) *variable {
	v := m.vars[id.Name]
	if v == nil || id.Obj == nil {
		return v // declared in another file, if it is none of the universe
	}
	if spec, ok := id.Obj.Decl.(*ast.ValueSpec); ok && m.specs[spec] {
		return v
	}
	return nil
}
