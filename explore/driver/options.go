package driver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/checkpoint"
)

// Options are the flags that all commands that explore packages have in common.
type Options struct {
	Packages []string `arg:"" optional:"" name:"packages" help:"Packages as for go build: directories, import paths, patterns with \"...\"; the one in the current directory by default. Of several packages those without Explore functions are left out. Or files of requests, which end in .yaml: docs/requests.md; or files of PostgreSQL's isolationtester, which end in .spec: docs/spec.md."`

	explore.Options

	Run           string        `placeholder:"REGEXP" help:"Only the functions whose names match."`
	Output        string        `short:"o" placeholder:"FILE" help:"Write to that file instead of the standard output."`
	Tags          string        `placeholder:"TAGS" help:"Build tags, as for go build."`
	Determinism   string        `default:"on" enum:"on,off" env:"TXMC_DETERMINISM" placeholder:"WHAT" help:"on: in a session the clock, timers, random numbers, the order of maps and select repeat themselves; off: they are as usual. ${default} by default."`
	Progress      string        `default:"auto" enum:"auto,plain,off" placeholder:"HOW" help:"auto: on a terminal one line that changes, elsewhere as plain; plain: a line now and then; off. ${default} by default. With --format=json the lines are JSON, in the report."`
	ProgressEvery time.Duration `default:"30s" placeholder:"D" help:"How often a plain line of progress is printed; ${default} by default."`
	Quiet         bool          `help:"Print only the lines of what is not ok, and errors. With --format=json it silences progress only."`
	Verbose       bool          `short:"v" help:"Say what is done, and more counts."`

	Within string `kong:"-"` // where the packages are looked for, if not in the current directory
	Only   string `kong:"-"` // the path of the one package that is meant, if not all
}

// Values of Options.Progress.
const (
	progressPlain = "plain"
	progressOff   = "off"
)

// ShowsProgress reports whether anybody gets to see how much is done.
func (x *Options) ShowsProgress() bool { return !x.Quiet && x.Progress != progressOff }

// Check rejects what can be rejected before anything is built. The error names the flag.
func (x *Options) Check() error {
	var wrong *explore.OptionError
	if errors.As(x.Options.Check(), &wrong) {
		return errors.New(wrong.Words(explore.Flags))
	}
	x.Dir, _ = os.Getwd() // without it, files go by their last element
	if x.Run != "" {
		if _, err := regexp.Compile(x.Run); err != nil {
			return fmt.Errorf("--run: %w", err)
		}
	}
	if x.ProgressEvery < 0 {
		return errors.New("--progress-every is negative: give a time such as 30s")
	}
	return nil
}

// Described is a checkpoint of nothing, with the options that decide what is explored and
// printed. Who resumes it has to give the same options. words says that the user has named
// levels: these are then of databases too.
func Described(version, format string, x *Options, s explore.Scope, words bool) *checkpoint.File {
	var iso []string
	for _, l := range x.Levels {
		iso = append(iso, l.String())
	}
	if words {
		for _, l := range x.InSQL {
			iso = append(iso, l.String())
		}
	}
	file := x.Output
	if abs, err := filepath.Abs(file); err == nil && file != "" {
		file = abs
	}
	yes := map[bool]string{true: "true"}
	return &checkpoint.File{Txmc: version, Packages: map[string]string{}, Options: []checkpoint.Option{
		{Name: "iso", Value: strings.Join(iso, ",")}, {Name: "base", Value: strings.ToLower(x.Base)}, {Name: "engine", Value: strings.ToLower(x.Engine)},
		{Name: "run", Value: x.Run}, {Name: "tags", Value: x.Tags}, {Name: "max-ops", Value: fmt.Sprint(x.MaxOps)},
		{Name: "all", Value: yes[s.All]}, {Name: "list", Value: yes[s.List]}, {Name: "unasserted", Value: x.Unasserted}, {Name: "determinism", Value: x.Determinism}, {Name: "format", Value: format}, {Name: "output", Value: file},
	}}
}
