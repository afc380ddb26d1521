package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// Code of the user's can also pass state by what other packages keep. This is a variable
// to which the code assigns, such as http.DefaultClient, or what a function of package log
// changes. The packages that keep the state are not at hand. So the generated file of the
// package that changes the state hands out its value. As of variables, only what the
// user's code reads too is compared. The default logger of log/slog is left out: programs
// ask for it to log, and what it is decides nothing.

// setting is what another package keeps: a variable, or what a function returns.
type setting struct {
	variable
	path string // of the package
}

// reader is the function that returns what another one changes, by that.
var reader = map[string]string{"log.SetFlags": "log.Flags()", "log.SetPrefix": "log.Prefix()", "log.SetOutput": "log.Writer()"}

// alwaysRead are variables that the standard library reads for the user.
var alwaysRead = []string{"time.Local"}

// changed notes that a setting is changed there: path.Name is the variable, or the call that
// returns it.
func (m *mentions) changed(path, name string, at ast.Node) {
	if path == "C" {
		return
	}
	pos := m.fset.Position(at.Pos())
	s := m.settings[path+"."+name]
	if s == nil {
		s = &setting{variable{name: name, at: pos, written: true}, path}
		m.settings[path+"."+name] = s
	}
	s.ignored = s.ignored || m.ignored[pos.Line]
}

// changedBy notes what a function of another package changes.
func (m *mentions) changedBy(path, name string, at ast.Node) {
	if read, ok := reader[path+"."+name]; ok {
		m.changed(path, strings.TrimPrefix(read, path+"."), at)
	}
}

// settingsToWatch lists the settings that functions of the part change, and some function of
// the user's reads, in the order of their names.
func (p *part) settingsToWatch(w *watching) (list []*setting) {
	for _, name := range slices.Sorted(maps.Keys(p.settings)) {
		s := p.settings[name]
		_, own := within(w.modules, s.path) // its own package's file has it
		if !own && !s.ignored && token.IsExported(s.name) && (w.selected[strings.TrimSuffix(name, "()")] || slices.Contains(alwaysRead, name)) {
			list = append(list, s)
		}
	}
	return list
}

// entry is the code that hands out a setting, and the import that it needs.
func (s *setting) entry(p *part, i int) (imported, code string) {
	alias := fmt.Sprintf("txmcsetting%d", i)
	now := fmt.Sprintf("return &%s.%s", alias, s.name)
	if strings.HasSuffix(s.name, "()") {
		now = fmt.Sprintf("now := %s.%s; return &now", alias, s.name)
	}
	return fmt.Sprintf("import %s %q\n", alias, s.path),
		fmt.Sprintf("\t\ttxmcwatched.Variable{Name: %q, File: %q, Line: %d, Package: %q, Now: func() any { %s }},\n",
			s.path[strings.LastIndexByte(s.path, '/')+1:]+"."+s.name, s.at.Filename, s.at.Line, p.path, now)
}
