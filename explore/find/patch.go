package find

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/go/packages"

	"github.com/txmc/txmc/explore/find/source"
)

// Patches: what an advice changes in the source, as a unified diff. It is printed, and
// never applied. There is none where the text is not an argument of the call that sends it,
// or where the level is not written there.

// edit is a change of a call that sends a statement.
type edit struct {
	statement *source.Statement
	suffix    string // behind the text
	text      string // or in its place; the argument that is a sum becomes what is added
}

// replacement puts another text in place of a piece of a file.
type replacement struct {
	from, to token.Pos
	text     string
}

// patch is the diff of edits; "" when one of them is not understood. It says which calls it changes that are not
// in the configuration of a plan.
func (f *finding) patch(p *plan, edits ...edit) string {
	var list []replacement
	var notes []string
	for _, e := range edits {
		call, pkg := f.call(e.statement.Pos)
		if call == nil {
			return ""
		}
		more := e.replacements(call, pkg)
		if len(more) == 0 {
			return ""
		}
		list = append(list, more...)
		notes = append(notes, f.sharing(p, e.statement)...)
	}
	return noted(notes, f.diff(list))
}

// noted is a diff with notes before it, each once.
func noted(notes []string, diff string) string {
	if diff == "" {
		return ""
	}
	text := ""
	for i, n := range notes {
		if !slices.Contains(notes[:i], n) {
			text += n + "\n"
		}
	}
	return text + diff
}

// sharing says which calls outside of a configuration send a statement in the same place. It also
// says whether that place is in a file that is made anew.
func (f *finding) sharing(p *plan, s *source.Statement) (notes []string) {
	var names []string
	for _, c := range f.program.Calls {
		if sends(c, s) && !slices.Contains(p.config.Calls, c) && !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	if len(names) > 0 {
		notes = append(notes, fmt.Sprintf("this changes %s too: the statement is sent there for all of them", strings.Join(names, ", ")))
	}
	if f.generated(s.Pos) {
		notes = append(notes, "the file is generated: change what it is made from")
	}
	return notes
}

// generated reports whether the file of a place says that it is generated.
func (f *finding) generated(at token.Pos) bool {
	for _, p := range f.source.All {
		for _, file := range p.Syntax {
			if file.FileStart <= at && at <= file.FileEnd {
				return ast.IsGenerated(file)
			}
		}
	}
	return false
}

// call is the call whose parenthesis is at a place, and its package.
func (f *finding) call(at token.Pos) (found *ast.CallExpr, of *packages.Package) {
	for _, p := range f.source.All {
		for _, file := range p.Syntax {
			if at < file.FileStart || at > file.FileEnd {
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok && c.Lparen == at {
					found, of = c, p
				}
				return found == nil
			})
		}
	}
	return found, of
}

// replacements are what an edit replaces in a call.
func (e *edit) replacements(call *ast.CallExpr, p *packages.Package) []replacement {
	for i, arg := range call.Args {
		value := p.TypesInfo.Types[arg].Value
		if value == nil || value.Kind() != constant.String || constant.StringVal(value) != e.statement.SQL {
			continue
		}
		if e.text == "" {
			return e.longer(arg)
		}
		sum, ok := addend(call.Args[i+1:])
		if !ok {
			return nil
		}
		return []replacement{{arg.Pos(), arg.End(), quoted(e.text)}, sum}
	}
	return nil
}

// longer appends to a text: in the literal, or behind an expression that has no semicolon at its end.
func (e *edit) longer(arg ast.Expr) []replacement {
	if lit, ok := arg.(*ast.BasicLit); ok {
		end := lit.Value[len(lit.Value)-1]
		inside := strings.TrimRight(lit.Value[:len(lit.Value)-1], "; \t\n")
		return []replacement{{lit.Pos(), lit.End(), inside + e.suffix + string(end)}}
	}
	if strings.HasSuffix(strings.TrimSpace(e.statement.SQL), ";") {
		return nil
	}
	return []replacement{{arg.End(), arg.End(), "+" + strconv.Quote(e.suffix)}}
}

func quoted(text string) string {
	if strings.Contains(text, "\n") && !strings.Contains(text, "`") {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// addend leaves of the one argument that is a sum or a difference what is added: the second
// operand. False where there is not one such argument.
func addend(args []ast.Expr) (r replacement, ok bool) {
	n := 0
	for _, arg := range args {
		if b, is := arg.(*ast.BinaryExpr); is && (b.Op == token.ADD || b.Op == token.SUB) {
			r = replacement{b.Pos(), b.Y.Pos(), ""}
			n++
		}
	}
	return r, n == 1
}

// levelPatch is the diff by which the transactions of calls begin with a level. There is one
// where the level is an argument of their BeginTx.
func (f *finding) levelPatch(p *plan, calls []string, level string) string {
	named := map[string]string{"repeatable read": "LevelRepeatableRead", "serializable": "LevelSerializable"}[level]
	var list []replacement
	var notes []string
	for _, c := range p.config.Calls {
		if !slices.Contains(calls, c.Name) {
			continue
		}
		for _, tx := range c.Transactions {
			call, pkg := f.call(tx.Pos)
			if call == nil || len(call.Args) != 2 || !pkg.TypesInfo.Types[call.Args[1]].IsNil() {
				return ""
			}
			r := replacement{call.Args[1].Pos(), call.Args[1].End(), "&sql.TxOptions{Isolation: sql." + named + "}"}
			if !slices.Contains(list, r) {
				list = append(list, r)
				if also := f.beginning(tx.Pos, calls); len(also) > 0 {
					notes = append(notes, fmt.Sprintf("this changes %s too: they begin there", strings.Join(also, ", ")))
				}
				if !imports(pkg, tx.Pos, "database/sql") {
					notes = append(notes, "the file has to import database/sql")
				}
			}
		}
	}
	return noted(notes, f.diff(list))
}

// beginning are the calls but those given that begin a transaction in one place: a function that runs
// others in a transaction has it for all.
func (f *finding) beginning(at token.Pos, but []string) (list []string) {
	for _, c := range f.program.Calls {
		begins := slices.ContainsFunc(c.Transactions, func(tx *source.Transaction) bool { return tx.Pos == at })
		if begins && !slices.Contains(but, c.Name) && !slices.Contains(list, c.Name) {
			list = append(list, c.Name)
		}
	}
	return list
}

// imports reports whether the file of a place imports a package.
func imports(pkg *packages.Package, at token.Pos, path string) bool {
	return slices.ContainsFunc(pkg.Syntax, func(file *ast.File) bool {
		return file.FileStart <= at && at <= file.FileEnd && slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == strconv.Quote(path) })
	})
}

// diff makes the replacements in their files; "" when a file cannot be read.
func (f *finding) diff(list []replacement) string {
	byFile := map[string][]replacement{}
	var names []string
	for _, r := range list {
		name := f.source.Fset.Position(r.from).Filename
		if byFile[name] == nil {
			names = append(names, name)
		}
		byFile[name] = append(byFile[name], r)
	}
	text := ""
	for _, name := range names {
		old, err := os.ReadFile(name)
		if err != nil {
			return ""
		}
		shown, _, _ := strings.Cut(f.source.Position(byFile[name][0].from), ":")
		text += string(diff.Diff("a/"+shown, old, "b/"+shown, f.replaced(old, byFile[name])))
	}
	return text
}

// replaced is a file with replacements, which do not overlap.
func (f *finding) replaced(old []byte, list []replacement) []byte {
	slices.SortFunc(list, func(a, b replacement) int { return int(b.from) - int(a.from) }) // the last first
	text := string(old)
	for _, r := range list {
		from, to := f.source.Fset.Position(r.from).Offset, f.source.Fset.Position(r.to).Offset
		text = text[:from] + r.text + text[to:]
	}
	return []byte(text)
}
