package main_test

import (
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gallery is made of the examples' comments, and of the tables and reports in
// their golden files, which other tests compare with what the command prints.
var gallery = filepath.Join(root, "docs", "gallery.md")

const galleryHead = `# Gallery

Every example under [testdata](../testdata), with the story that its package comment tells, what holds at which level, and the report
of each program at the strongest level that breaks it.

` + "`go generate ./...`" + ` makes this page; a test compares it with what the command says.
`

// testGallery compares the page with the examples, or rewrites it.
func testGallery(t *testing.T) {
	var page strings.Builder
	page.WriteString(galleryHead)
	for _, pkg := range slices.Sorted(maps.Keys(examples)) {
		page.WriteString(exhibit(t, pkg))
	}
	if *update {
		if err := os.WriteFile(gallery, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(gallery)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(text), "\n"), strings.Split(page.String(), "\n")); diff != "" {
		t.Errorf("%s differs (-page +real); go generate ./... rewrites it:\n%s", gallery, diff)
	}
	checkLinks(t, gallery, string(text))
}

// exhibit is the section of an example.
func exhibit(t *testing.T, pkg string) string {
	t.Helper()
	table, err := os.ReadFile(filepath.Join(root, "testdata", pkg, "levels.golden"))
	if err != nil {
		t.Fatal(err)
	}
	reports, err := os.ReadFile(filepath.Join(root, "testdata", pkg, "explore.golden"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n%s\n[%[3]s](../testdata/%[1]s/%[3]s)\n\n", pkg, story(t, pkg), source(pkg))
	fmt.Fprintf(&b, "```text\n%s```\n", withoutBlankEnd(string(table)))
	for _, name := range slices.Sorted(maps.Keys(examples[pkg])) {
		if n := examples[pkg][name]; n > 0 {
			fmt.Fprintf(&b, "\n### %s at %s\n\n```text\n%s```\n", name, allLevels[n-1], withoutBlankEnd(reportOf(t, string(reports), name, allLevels[n-1])))
		}
	}
	return b.String()
}

// source is the file with the package comment; that of an example in SQL is named
// without the sql.
func source(pkg string) string { return strings.TrimPrefix(pkg, "sql") + ".go" }

// story is the package comment without its list of levels.
func story(t *testing.T, pkg string) string {
	t.Helper()
	name := filepath.Join(root, "testdata", pkg, source(pkg))
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(file.Doc.Text(), "\nLevels:")
	var parser comment.Parser
	var printer comment.Printer
	return string(printer.Markdown(parser.Parse(text)))
}

// reportOf cuts the report of a program and level from the output of explore,
// without its line on time.
func reportOf(t *testing.T, out, name, iso string) string {
	t.Helper()
	starts := resultLine.FindAllStringSubmatchIndex(out, -1)
	for i, m := range starts {
		if out[m[4]:m[5]] != name || out[m[6]:m[7]] != iso {
			continue
		}
		end := len(out)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		_, report, _ := strings.Cut(out[m[0]:end], "\n")
		report, _, _ = strings.Cut(report, "\n  replay ")
		return strings.TrimPrefix(report, "\n")
	}
	t.Fatalf("no report of %s at %s", name, iso)
	return ""
}

func withoutBlankEnd(s string) string { return strings.TrimRight(s, "\n") + "\n" }
