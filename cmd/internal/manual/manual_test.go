package manual_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/txmc/txmc/cmd/internal/manual"
)

type line struct {
	Look struct {
		Path   string `arg:"" help:"Where."`
		Format string `default:"text" enum:"text,json" help:"How it's written: text or json."`
		Output string `short:"o" placeholder:"FILE" help:"Where to [write]."`
		All    bool   `help:"Everything."`
	} `cmd:"" help:"Look at it."`
	Leave struct{} `cmd:"" help:"Leave it."`
	Help  struct {
		Command string `arg:"" optional:"" help:"Which."`
	} `cmd:"" help:"Help."`
	Draw struct {
		As string `arg:"" enum:"line,dot" help:"How."`
	} `cmd:"" help:"Draw it."`
}

func app(t *testing.T) *kong.Application {
	t.Helper()
	k, err := kong.New(&line{}, kong.Name("tool"), kong.Description("Tries: it out."))
	if err != nil {
		t.Fatal(err)
	}
	return k.Model
}

func TestTwoDashes(t *testing.T) {
	for args, want := range map[string]string{
		"look -format=json x":  "look --format=json x",
		"look -format json x":  "look --format json x",
		"look -o x -all":       "look -o x --all",
		"look -ox":             "look -ox",
		"look --format=text -": "look --format=text -",
		"look -nonsense=x -1":  "look --nonsense=x -1",
		"look -others":         "look -others", // -o thers
		"look -- -all":         "look -- -all",
		"-help":                "--help",
	} {
		if got := manual.TwoDashes(app(t), strings.Fields(args)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %v", args, got)
		}
	}
}

// What is no command is said to be none, with what it may have been.
func TestUnknownCommand(t *testing.T) {
	for args, want := range map[string]string{
		"look x": "", "-h": "", "": "", "leave": "",
		"frobnicate": `unknown command "frobnicate"`,
		"lok x":      `unknown command "lok", did you mean "look"?`,
		"laeve":      `unknown command "laeve", did you mean "leave"?`,
		"leaves":     `unknown command "leaves", did you mean "leave"?`,
		"lo":         `unknown command "lo", did you mean "look"?`,
		"./app -all": `unknown command "./app": to explore a package, tool explore ./app`,
	} {
		if got := manual.UnknownCommand(app(t), strings.Fields(args)); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

// What bash completes: commands, flags, and values.
func TestBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	var script strings.Builder
	if err := manual.Completion(&script, app(t), "bash"); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{
		"tool l":                   "look leave",
		"tool le":                  "leave",
		"tool look --f":            "--format",
		"tool look --format =":     "text json",
		"tool look --format = j":   "json",
		"tool look --output = j":   "",
		"tool look --format j":     "json",
		"tool look --format --o":   "--output",
		"tool look --output t":     "",
		"tool look file":           "",
		"tool help l":              "look leave",
		"tool draw d":              "dot",
		"tool draw line d":         "",
		"tool look --all --format": "--format",
	} {
		n := len(strings.Fields(words)) - 1
		run := script.String() + "COMP_WORDS=(" + words + ")\nCOMP_CWORD=" + string(rune('0'+n)) + "\n_tool\necho ${COMPREPLY[@]}\n"
		out, err := exec.CommandContext(t.Context(), bash, "-c", run).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %q, want %q: %v", words, got, want, err)
		}
	}
}

// The other shells read what is written for them, where they are installed.
func TestSyntax(t *testing.T) {
	for _, shell := range manual.Shells() {
		var script strings.Builder
		if err := manual.Completion(&script, app(t), shell); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"look", "leave", "format", "json", "output"} {
			if !strings.Contains(script.String(), want) {
				t.Errorf("%s: no %s in\n%s", shell, want, script.String())
			}
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		check := exec.CommandContext(t.Context(), path, "-n")
		check.Stdin = strings.NewReader(script.String())
		if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v: %s\n%s", shell, err, out, script.String())
		}
	}
	if err := manual.Completion(&strings.Builder{}, app(t), "cmd"); err == nil {
		t.Error("an unknown shell is no error")
	}
}

func TestPage(t *testing.T) {
	var page strings.Builder
	if err := manual.Page(&page, app(t), "tool v1"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".TH TOOL 1", "tool \\- Tries\n", ".SS tool look <path>", ".I <path>\nWhere.", ".B \\-o, \\-\\-output=FILE\nWhere to [write]."} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q in\n%s", want, page.String())
		}
	}
}
