package source

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// What only a run can tell: statements that libraries make at run time. A call that leads to
// them is open; package seen adds what a run of it has sent.

// open notes that the call sends statements at a place of which nothing is known. Why goes to
// reports where no run tells more; "" is not reported.
func (f *frame) open(pos token.Pos, why string) {
	if f.call.Open == nil {
		f.call.Open = map[string]string{}
	}
	at := f.position(pos)
	if _, known := f.call.Open[at]; !known || why != "" {
		f.call.Open[at] = why
	}
	if why != "" {
		f.unknown(pos, why)
	}
}

// made notes the call of a method that makes a statement at run time, and sends it.
func (f *frame) made(m *types.Func, pos token.Pos) {
	if !builds(m) {
		f.open(pos, fmt.Sprintf("%s.%s makes its statement at run time", m.Pkg().Name(), m.Name()))
	}
}

// passes notes that code which is not looked at is given what leads to the database. What makes
// another way to the database of it sends nothing.
func (f *frame) passes(sig *types.Signature, c *ssa.CallCommon, args []*Value, pos token.Pos) {
	for result := range sig.Results().Variables() {
		if pkg, _ := ofLibrary(result.Type()); pkg != "" {
			return
		}
	}
	if c.IsInvoke() && leads(c.Value.Type()) {
		f.open(pos, "")
		return
	}
	for i, a := range args {
		if a.Op == Handle || a.Type != nil && leads(a.Type) || i < len(c.Args) && len(args) == len(c.Args) && leads(c.Args[i].Type()) {
			f.open(pos, "")
			return
		}
	}
}

// finishers are gorm's methods that send statements, unless they begin one.
var finishers = []string{
	"Create", "CreateInBatches", "Save", "First", "FirstOrCreate", "FirstOrInit", "Take", "Last", "Find", "FindInBatches", "Update", "Updates", "UpdateColumn",
	"UpdateColumns", "Delete", "Count", "Pluck", "Row", "Rows", "Scan", "Exec", "ExecContext", "ScanAndCount", "Exists", "Append", "Replace", "Clear", "AutoMigrate",
}

// builds reports whether a method of gorm, bun or xorm makes a part of a statement and sends nothing.
func builds(m *types.Func) bool {
	if isGorm(m.Pkg().Path()) {
		return !slices.Contains(finishers, m.Name())
	}
	results := m.Type().(*types.Signature).Results()
	if tellsErrors(m.Pkg().Path()) { // what sends may fail
		return m.Name() == "Close" || results.Len() == 0 || types.TypeString(results.At(results.Len()-1).Type(), nil) != "error"
	}
	if results.Len() != 1 {
		return m.Name() != "Exec" && m.Name() != "Rows" && m.Name() != "Count" && m.Name() != "Exists" && m.Name() != "ScanAndCount"
	}
	_, name := ofLibrary(results.At(0).Type())
	return name != ""
}
