package main_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/diff"
)

// bugPage is made of the directories of bugs: their comments, their statements, the reports in
// their golden files, and what a bug and what has mended it differ in.
var bugPage = filepath.Join(root, "docs", "bugs.md")

const bugPageHead = `# Bugs that people have reported

You will find here what goes wrong with transactions in applications that many people use, by kind, with what txmc says about it and
what mended it. The code is written anew, and small; the reports are linked. To see one by yourself, in a checkout:

` + "```sh\ntxmc explore ./testdata/bugs/quota --confirm=postgres:temp\n```" + `

Those on gorm are in integration/bugs, that on MySQL is in mysql/testdata/bugs. Each program has a function ExploreBug, which fails, and ExploreFix, which is ok. ` + "`go test ./cmd/txmc -run 'TestBugs|TestBugPage' -update`" + ` makes
this page and the reports; tests compare them with what the command says.

| kind | program | on a real server | reported |
|---|---|---|---|
`

// A bug is a directory of one.
type bug struct {
	dir, name          string
	story              string
	kind, fix          string
	reported           string // links
	report             string // of ExploreBug
	statements, change string
}

// TestBugPage compares the page with the directories, or rewrites it.
func TestBugPage(t *testing.T) {
	t.Parallel()
	var all []bug
	for _, dir := range []string{bugs, "integration/bugs", "mysql/testdata/bugs"} {
		for _, name := range entries(t, filepath.Join(root, dir)) {
			all = append(all, readBug(t, dir+"/"+name, name))
		}
	}
	slices.SortStableFunc(all, func(a, b bug) int { return strings.Compare(a.kind, b.kind) })
	var page strings.Builder
	page.WriteString(bugPageHead)
	for _, b := range all {
		fmt.Fprintf(&page, "| %s | [%s](#%s) | %s | %s |\n", b.kind, b.name, b.name, b.onServer(), b.reported)
	}
	for _, b := range all {
		page.WriteString(b.section())
	}
	if *update {
		if err := os.WriteFile(bugPage, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(bugPage)
	if err != nil {
		t.Fatal(err)
	}
	checkLinks(t, bugPage, string(text))
	if diff := cmp.Diff(strings.Split(string(text), "\n"), strings.Split(page.String(), "\n")); diff != "" {
		t.Errorf("%s differs (-page +real); -update rewrites it:\n%s", bugPage, diff)
	}
}

// onServer says whether a server has shown the violation. One in which others run inside a
// statement no client can make; runs that nobody holds may have it.
func (b bug) onServer() string {
	switch {
	case strings.Contains(b.report, "\n  confirmed on "):
		return "confirmed"
	case strings.Contains(b.report, "others run inside a statement"):
		return "by chance: it needs others inside a statement"
	case strings.Contains(b.report, "no assertion fails there"):
		return "not confirmed: what is left behind is no assertion of the program"
	}
	return "not confirmed"
}

func (b bug) section() string {
	var s strings.Builder
	fmt.Fprintf(&s, "\n## %s\n\n%s: %s [%[1]s.go](../%[4]s/%[1]s.go)\n", b.name, upper(b.kind), b.story, b.dir)
	if b.reported != "" {
		fmt.Fprintf(&s, "\nReported: %s\n", b.reported)
	}
	fmt.Fprintf(&s, "\n```sql\n%s```\n", b.statements)
	verdict := b.report[strings.LastIndex(b.report, "\n  left:")+1:]
	fmt.Fprintf(&s, "\ntxmc says:\n\n```text\n%s```\n", withoutBlankEnd(verdict))
	fmt.Fprintf(&s, "\n<details><summary>The steps</summary>\n\n```text\n%s```\n\n</details>\n", withoutBlankEnd(strings.TrimSuffix(b.report, verdict)))
	fmt.Fprintf(&s, "\nFixed: %s.\n\n```diff\n%s```\n", b.fix, b.change)
	return s.String()
}

// upper begins with a capital letter.
func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

var (
	field     = regexp.MustCompile(`(?m)^(Kind|Reported|Fix): (.*)$`)
	statement = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE)\b`)
	reference = regexp.MustCompile(`([\w.-]+/[\w.-]+)#(\d+)`)
	firstText = regexp.MustCompile(`(?s)^Package \w+ is about (.*?)\n*$`)
)

func readBug(t *testing.T, dir, name string) bug {
	t.Helper()
	b := bug{dir: dir, name: name}
	doc := parsed(t, filepath.Join(root, dir, name+".go")).Doc.Text()
	text, _, _ := strings.Cut(doc, "\nKind:")
	m := firstText.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s: the comment says %q", dir, doc)
	}
	b.story = m[1]
	for _, m := range field.FindAllStringSubmatch(doc, -1) {
		switch m[1] {
		case "Kind":
			b.kind = m[2]
		case "Fix":
			b.fix = m[2]
		case "Reported":
			b.reported = reference.ReplaceAllString(m[2], "[$1#$2](https://github.com/$1/issues/$2)")
		}
	}
	report := read(t, filepath.Join(root, dir, "report.golden"))
	_, b.report, _ = strings.Cut(report[:strings.LastIndex(report, "\nok ")], "\n\n")
	was, is := filepath.Join(root, dir, "bug", name+".go"), filepath.Join(root, dir, "fix", name+".go")
	b.statements = statements(parsed(t, was))
	change := string(diff.Diff("bug/"+name+".go", []byte(read(t, was)), "fix/"+name+".go", []byte(read(t, is))))
	_, b.change, _ = strings.Cut(change, "\n") // the command of diff
	return b
}

// statements are the texts of a file that are SQL, each once.
func statements(f *ast.File) string {
	var s []string
	for n := range ast.Preorder(f) {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		text, err := strconv.Unquote(lit.Value)
		text = strings.TrimSuffix(strings.TrimSpace(text), ";") + ";\n"
		if err == nil && statement.MatchString(text) && !slices.Contains(s, text) {
			s = append(s, text)
		}
	}
	return strings.ReplaceAll(strings.Join(s, ""), "\t", "  ")
}

func parsed(t *testing.T, name string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
