package main_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/txmc/txmc/server/requests/requeststest"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

// testDocumentation runs what a page shows. A console block holds commands, each
// after "$ ", with their real output, which -update rewrites. A Go block is part
// of the file that the comment before it names, and one that starts with a package
// clause compiles in its place.
func testDocumentation(t *testing.T, cmd command, page string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range block.FindAllStringSubmatch(string(text), -1) {
		if source, language, body := m[1], m[2], m[3]; language == "go" {
			checkExcerpt(t, source, body)
		}
	}
	checkLinks(t, page, string(text))
	if !inFull() && !*update && filepath.Base(page) != "explore.md" {
		t.Skip("with -full the commands of every page run, and not those of explore.md alone")
	}
	if onServer.Match(text) {
		scratchtest.Need(t, scratch.Postgres)
	}

	if requeststest.Uses(string(text)) {
		requeststest.Python(t)
	}

	real := console.ReplaceAllStringFunc(string(text), func(block string) string {
		body := console.FindStringSubmatch(block)[1]
		return "```console\n" + runConsole(t, cmd, body) + "```"
	})
	diff := cmp.Diff(strings.Split(withoutTimes(string(text)), "\n"), strings.Split(withoutTimes(real), "\n"))
	switch {
	case diff == "":
	case *update:
		if err := os.WriteFile(page, []byte(real), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s differs (-page +real); go test ./cmd/txmc -update rewrites it:\n%s", page, diff)
	}
}

var (
	block = regexp.MustCompile("(?ms)(?:^<!-- (\\S+) -->\n)?^```(\\w*)\n(.*?)^```$")
	// onServer is a command of a block that starts a throw-away server.
	onServer = regexp.MustCompile(`(?m)^\$ go run .*=postgres:temp`)
	console  = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")
)

// runConsole returns a block with the real output of each "go run ./cmd/txmc" in
// it. Other commands keep the output that they have.
func runConsole(t *testing.T, cmd command, body string) string {
	t.Helper()
	var b strings.Builder
	for _, part := range strings.Split("\n"+body, "\n$ ")[1:] {
		line, out, _ := strings.Cut(part, "\n")
		if args, ok := strings.CutPrefix(line, "go run ./cmd/txmc "); ok {
			var status int
			out, status = cmd.run(t, strings.Fields(args)...)
			if status != 0 {
				out += fmt.Sprintf("exit status %d\n", status) // as go run adds
			}
		}
		b.WriteString("$ " + line + "\n" + out)
	}
	return b.String()
}

// TestListOfExamples compares the levels in the list of examples with the table.
func TestListOfExamples(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "explore.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[string][]string{}, map[string][]string{}
	for pkg, programs := range examples {
		want[pkg] = []string{}
		for _, n := range slices.Sorted(maps.Values(programs)) {
			if n > 0 {
				want[pkg] = append(want[pkg], "`"+allLevels[n-1]+"`")
			}
		}
	}
	for _, m := range exampleRow.FindAllStringSubmatch(string(text), -1) {
		levels := strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || r == ' ' })
		slices.SortFunc(levels, func(a, b string) int {
			return slices.Index(allLevels, strings.Trim(a, "`")) - slices.Index(allLevels, strings.Trim(b, "`"))
		})
		got[m[1]] = levels
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the list and the table of examples differ (-table +page):\n%s", diff)
	}
}

var exampleRow = regexp.MustCompile(`(?m)^\| \[(\w+)\]\(\.\./testdata/[^|]*\|[^|]*\| (.*) ?\|$`)

// testFlags compares the flags of the commands with those of docs/explore.md: it tells
// all of txmc explore, and none that no command has.
func testFlags(t *testing.T, cmd command) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "explore.md"))
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{"--help": true, "--version": true}
	for _, f := range flagInText.FindAllString(string(text), -1) {
		told[f] = true
	}
	all, _ := cmd.run(t, "--help")
	has := map[string]bool{}
	for _, m := range commandInHelp.FindAllStringSubmatch(all, -1) {
		help, _ := cmd.run(t, m[1], "--help")
		for _, f := range flagInHelp.FindAllStringSubmatch(help, -1) {
			has[f[1]] = true
			if m[1] == "explore" && !told[f[1]] {
				t.Errorf("docs/explore.md does not tell %s of txmc explore", f[1])
			}
		}
	}
	for f := range told {
		if !has[f] {
			t.Errorf("docs/explore.md tells %s, which no command has", f)
		}
	}
}

var (
	commandInHelp = regexp.MustCompile(`(?m)^  ([a-z]+) .*\[flags\]$`)
	flagInHelp    = regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)`)
	flagInText    = regexp.MustCompile(`--[a-z][a-z-]*`)
)

func checkExcerpt(t *testing.T, source, body string) {
	t.Helper()
	if source == "" {
		t.Errorf("a Go block without the comment that names its file:\n%s", body)
		return
	}
	file := filepath.Join(root, source)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return
	}
	if !strings.Contains(string(text), body) {
		t.Errorf("this is not an excerpt of %s:\n%s", source, body)
	}
	if strings.HasPrefix(body, "package ") {
		compile(t, file, body)
	}
}

// compile builds the package of file with body in the file's place.
func compile(t *testing.T, file, body string) {
	t.Helper()
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	copied, overlay := filepath.Join(dir, "body.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: copied}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{copied: []byte(body), overlay: replace} {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-overlay="+overlay, "-o", os.DevNull, ".")
	build.Dir = filepath.Dir(file)
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("the block does not compile in the place of %s: %v\n%s", file, err, out)
	}
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

// checkLinks checks that the files a page links to exist.
func checkLinks(t *testing.T, doc, text string) {
	t.Helper()
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(doc), m[1])); err != nil {
			t.Errorf("a link leads nowhere: %v", err)
		}
	}
}
