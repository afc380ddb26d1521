package txmc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/txmc/txmc"

// below lists, for each room at the top of the module, the rooms that it may import
// directly; what those import is allowed to it too. The root is the room "". A room is
// listed before those that import it.
var below = []struct {
	room  string
	rooms []string
}{
	{"program", nil},
	{"pg", []string{"program"}},
	{"semantics", []string{"program"}},
	{"isolation", []string{"semantics"}},
	{"dpor", []string{"isolation"}},
	{"history", []string{"isolation"}},
	{"report", []string{"isolation", "history"}},
	{"explore", []string{"dpor", "report", "pg"}},
	{"server", []string{"pg", "explore", "history"}},
	{"", []string{"explore", "server"}},
	{"bench", []string{"", "server"}},
	{"cmd", []string{"bench"}},
}

// noRooms hold no code of the module: example programs, and pages.
var noRooms = []string{"testdata", "docs"}

type listed struct {
	ImportPath string
	Imports    []string
}

// packages lists the packages of the module with what they import.
func packages(t *testing.T) (list []listed) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// room is the first element of a path inside the module; false outside.
func room(path string) (string, bool) {
	if path == module {
		return "", true
	}
	rest, ok := strings.CutPrefix(path, module+"/")
	name, _, _ := strings.Cut(rest, "/")
	return name, ok
}

// allowed closes the table.
func allowed() map[string][]string {
	all := map[string][]string{}
	for _, b := range below {
		rooms := []string{b.room}
		for _, r := range b.rooms {
			rooms = append(append(rooms, r), all[r]...)
		}
		all[b.room] = rooms
	}
	return all
}

// upwards lists the imports of a package that its room may not have.
func upwards(p listed, may map[string][]string) (wrong []string) {
	from, _ := room(p.ImportPath)
	rooms, known := may[from]
	if !known {
		return []string{"a room that the table does not have"}
	}
	for _, i := range p.Imports {
		if to, ours := room(i); ours && !slices.Contains(rooms, to) {
			wrong = append(wrong, i)
		}
	}
	return wrong
}

// No import runs upwards, and so none in a circle: every room knows only what stands
// below it. There are at most eleven rooms of code.
func TestHouse(t *testing.T) {
	t.Parallel()
	may, rooms := allowed(), map[string]bool{}
	for _, p := range packages(t) {
		name, _ := room(p.ImportPath)
		if slices.Contains(noRooms, name) {
			continue
		}
		if name != "" {
			rooms[name] = true
		}
		for _, wrong := range upwards(p, may) {
			t.Errorf("%s imports %s", p.ImportPath, wrong)
		}
	}
	if len(rooms) > 11 {
		t.Errorf("%d rooms of code: %v", len(rooms), rooms)
	}
}

// The rules find what breaks them.
func TestHouseRules(t *testing.T) {
	t.Parallel()
	may := allowed()
	for _, test := range []struct {
		from, to string
		wrong    bool
	}{
		{"program", "semantics", true}, {"report", "dpor", true}, {"history/judge", "report", true}, {"isolation/anomaly", "dpor", true},
		{"explore/harness", "cmd/txmc", true}, {"dpor", "explore", true}, {"attic", "program", true},
		{"explore/harness", "report", false}, {"report/verdict", "history/judge", false}, {"cmd/txmc", "bench", false}, {"dpor", "program", false},
	} {
		p := listed{ImportPath: module + "/" + test.from, Imports: []string{"fmt", module + "/" + test.to}}
		if got := len(upwards(p, may)) > 0; got != test.wrong {
			t.Errorf("%s imports %s: wrong %v", test.from, test.to, got)
		}
	}
}

// notRooms are names that say nothing of what a package is for.
var notRooms = []string{"util", "utils", "common", "helper", "helpers", "misc", "base", "lib"}

// A package is called after what it does.
func TestPackageNames(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if slices.Contains(notRooms, path.Base(p.ImportPath)) {
			t.Errorf("%s: the name does not say what is in it", p.ImportPath)
		}
	}
}

// inTests are packages that only tests import.
var inTests = []string{"isolation/reference", "isolation/statement/random", "isolation/statement/realtest", "isolation/statement/rules",
	"dpor/sqltest", "program/deadlinetest", "server/scratch/scratchtest", "server/requests/requeststest"}

// What users and the command build holds nothing that is made for tests, the slow and obvious forms
// of the axioms above all.
func TestReferenceIsForTests(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".", "./pg", "./explore/harness", "./cmd/txmc").Output()
	if err != nil {
		t.Fatal(err)
	}
	for p := range strings.Lines(string(out)) {
		p, ours := strings.CutPrefix(strings.TrimSpace(p), module+"/")
		if ours && slices.ContainsFunc(inTests, func(of string) bool { return p == of || strings.HasPrefix(p, of+"/") }) {
			t.Errorf("%s is built into what users run", p)
		}
	}
}

// callers run other programs, and so name these programs' flags.
var callers = []string{"dpor/sqltest", "pg/engine"}

// flagName is a flag's name in a text.
var flagName = regexp.MustCompile(`(^|[^-\w])--[a-z]`)

// belowExplore reports whether a directory's code stands below explore. The module mysql does, as
// pg does, but for its command.
func belowExplore(dir string, rooms []string) bool {
	name, _, _ := strings.Cut(dir, "/")
	return name != "." && name != "explore" && slices.Contains(rooms, name) || name == "mysql" && dir != "mysql/cmd/txmc-mysql"
}

// No message below explore names a flag: what an option is called says the edge.
func TestNoFlagsBelow(t *testing.T) {
	t.Parallel()
	rooms, texts := allowed()["explore"], 0
	for file, n := range declarations(t) {
		dir := directory(file)
		text, ok := n.(*ast.BasicLit)
		if !ok || text.Kind != token.STRING || !belowExplore(dir, rooms) ||
			slices.ContainsFunc(callers, func(c string) bool { return strings.HasPrefix(dir, c) }) {
			continue
		}
		texts++
		if flagName.MatchString(text.Value) {
			t.Errorf("%s: %s", dir, text.Value)
		}
	}
	if texts < 1000 {
		t.Errorf("looked at %d texts", texts)
	}
}

// Levels are compared by Implies: they are no chain.
func TestLevelsAreNoChain(t *testing.T) {
	t.Parallel()
	isLevel := func(x ast.Expr) bool {
		s, ok := x.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		of, ok := s.X.(*ast.Ident)
		return ok && of.Name == "isolation"
	}
	for file, n := range declarations(t) {
		b, ok := n.(*ast.BinaryExpr)
		if ok && slices.Contains([]token.Token{token.LSS, token.GTR, token.LEQ, token.GEQ}, b.Op) && (isLevel(b.X) || isLevel(b.Y)) {
			t.Errorf("%s: levels are compared by %s", file.Position(b.Pos()), b.Op)
		}
	}
}

// mostFields is how many fields a type may have. Types with a tag at most fields are wire
// formats and flags, which may have more.
const mostFields = 12

// A type has fields that belong together: what has very many is more than one idea.
func TestTypesAreSmall(t *testing.T) {
	t.Parallel()
	types := 0
	for file, n := range declarations(t) {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			continue
		}
		s, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		types++
		if fields, wire := fieldsOf(s); fields > mostFields && !wire {
			t.Errorf("%s: %s has %d fields, at most %d", file.Position(spec.Pos()), spec.Name.Name, fields, mostFields)
		}
	}
	if types < 100 {
		t.Errorf("looked at %d types", types)
	}
}

// mostLines is how many lines a function may have.
const mostLines = 62

// A function fits a screen.
func TestFunctionsFitAScreen(t *testing.T) {
	t.Parallel()
	functions := 0
	for file, n := range declarations(t) {
		f, ok := n.(*ast.FuncDecl)
		if !ok {
			continue
		}
		functions++
		if lines := 1 + file.Line(f.End()) - file.Line(f.Pos()); lines > mostLines {
			t.Errorf("%s: %s has %d lines, at most %d", file.Position(f.Pos()), f.Name.Name, lines, mostLines)
		}
	}
	if functions < 1000 {
		t.Errorf("looked at %d functions", functions)
	}
}

// shortFile is how many lines a file stays below.
const shortFile = 400

// A file has one idea, also one of tests.
func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if d.IsDir() && (slices.Contains(noRooms, d.Name()) || d.Name() == generated || len(file) > 1 && file[0] == '.') {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(file) != ".go" {
			return err
		}
		files++
		data, err := os.ReadFile(file)
		if lines := bytes.Count(data, []byte("\n")); lines >= shortFile {
			t.Errorf("%s has %d lines, at most %d", file, lines, shortFile-1)
		}
		return err
	})
	if err != nil || files < 1000 {
		t.Errorf("looked at %d files: %v", files, err)
	}
}

// declarations yields the syntax of the code of this module and of those nested in it, with
// its files.
func declarations(t *testing.T) iter.Seq2[*token.File, ast.Node] {
	return func(yield func(*token.File, ast.Node) bool) {
		err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
			if d.IsDir() && (slices.Contains(noRooms, d.Name()) || len(file) > 1 && file[0] == '.') {
				return filepath.SkipDir
			}
			if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, file, nil, 0)
			if err != nil {
				return err
			}
			for n := range ast.Preorder(f) {
				if !yield(set.File(f.Pos()), n) {
					return filepath.SkipAll
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// directory is that of a file, with slashes.
func directory(f *token.File) string { return filepath.ToSlash(filepath.Dir(f.Name())) }

// fieldsOf counts the fields of a type, an embedded type as one. The type is a wire format
// when at least half of them have a tag.
func fieldsOf(s *ast.StructType) (fields int, wire bool) {
	tags := 0
	for _, f := range s.Fields.List {
		fields += max(1, len(f.Names))
		if f.Tag != nil {
			tags++
		}
	}
	return fields, 2*tags >= fields
}

// mostCommand is how many lines the command may have: the logic is in the rooms below it.
const mostCommand = 2000

// The command reads its flags and words what the rooms below it find, and no more.
func TestCommandIsSmall(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("cmd/txmc/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	lines := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(data, []byte("\n"))
	}
	if lines > mostCommand {
		t.Errorf("cmd/txmc has %d lines, at most %d", lines, mostCommand)
	}
}
