package load

import (
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Settings are those that functions of the user's assign to, or change by a function of package
// log, and read; time.Local others read.
func TestSettings(t *testing.T) {
	for code, want := range map[string]string{
		"func f() { http.DefaultClient = nil }":                                                       "",
		"func f() { http.DefaultClient = nil; g(http.DefaultClient) }":                                "http.DefaultClient",
		"func f() { http.DefaultClient.Timeout = 1; g(http.DefaultClient) }":                          "",
		"func f() { http.DefaultClient = nil; g(http.DefaultTransport) }":                             "",
		"func f() { http.DefaultClient = nil //txmc:ignore global\n g(http.DefaultClient) }":          "",
		"func f() { time.Local = nil }":                                                               "time.Local",
		"func f() { log.SetPrefix(`x`); log.SetFlags(0) }":                                            "",
		"func f() { log.SetPrefix(`x`); g(log.Prefix()) }":                                            "log.Prefix()",
		"func f() { log.SetOutput(nil); g(log.Writer()); log.SetFlags(0); g(log.Flags(), time.Now) }": "log.Flags() log.Writer()",
		"func f() { log := logger(); log.SetPrefix(`x`); g(log.Prefix()) }":                           "",
		"func f() { set(log.SetPrefix); g(log.Prefix()) }":                                            "log.Prefix()",
		"func init() { time.Local = nil }":                                                            "",
		"func f() { other.Precision = 3; g(other.Precision) }":                                        "other.Precision",
		"func f() { beside.Precision = 3; g(beside.Precision) }":                                      "", // its own package's file has it
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "p.go"), "package p\nimport (\"net/http\"; \"log\"; \"time\"; \"example.com/other\"; \"example.com/app/beside\")\n"+code)
		w := &watching{tool: &tool{}, seen: map[string]bool{}, selected: map[string]bool{}, modules: map[string]string{"example.com/app": dir}}
		p := &part{dir: dir, path: "example.com/app", name: "p"}
		w.read(p, []string{"p.go"})
		settings := p.settingsToWatch(w)
		source := p.watchFile(nil, settings)
		if _, err := parser.ParseFile(token.NewFileSet(), "watched.go", source, 0); err != nil {
			t.Errorf("%s: %v", code, err)
		}
		if _, err := format.Source(source); err != nil {
			t.Errorf("%s: %v", code, err)
		}
		var got []string
		for _, m := range regexp.MustCompile(`Name: "([^"]*)"`).FindAllStringSubmatch(string(source), -1) {
			got = append(got, m[1])
		}
		slices.Sort(got)
		if list := strings.Join(got, " "); list != want {
			t.Errorf("%s: %q are watched, want %q", code, list, want)
		}
	}
}
