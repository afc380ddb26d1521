package requests

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/output"
)

// pairsVariable names the file to which a harness writes its [Pairs]. It has the programs of the pairs then.
const pairsVariable = "TXMC_REQUESTS_PAIRS"

// Find explores all pairs of a file's requests.
type Find struct {
	Name    string // of the file
	Level   isolation.Level
	Timeout time.Duration // for each pair
	Server  explore.OnServer
	Format  string // text or json
	Verbose bool   // whole reports, and figures
}

// finding is what becomes of the pairs.
type finding struct {
	*Find
	Pairs
	file       *File
	violations map[string]*report.Violation // by program
	lines      [][]byte                     // of the harness: violations and results, in order
	results    map[string]*report.Result
	errors     map[string]string
}

// Do explores the pairs and writes the report.
func (x *Find) Do(ctx context.Context, stdout, stderr io.Writer) (driver.Status, error) {
	f, err := Read(x.Name)
	if err != nil {
		return driver.Failed, err
	}
	self, err := os.Executable()
	if err != nil {
		return driver.Failed, err
	}
	temp, err := os.MkdirTemp("", "txmc-")
	if err != nil {
		return driver.Failed, err
	}
	defer os.RemoveAll(temp)
	out := filepath.Join(temp, "pairs.json")
	y := &finding{Find: x, file: f, violations: map[string]*report.Violation{}, results: map[string]*report.Result{}, errors: map[string]string{}}
	h := load.Harness{Binary: self, Dir: filepath.Dir(f.Name), Env: []string{Variable + "=" + f.Name, pairsVariable + "=" + out}}
	if err := y.run(ctx, &h, stderr); err != nil {
		return driver.Failed, err
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return driver.Failed, err
	}
	if err := json.Unmarshal(text, &y.Pairs); err != nil {
		return driver.Failed, err
	}
	return y.status(ctx), y.write(stdout)
}

// run runs the harness.
func (y *finding) run(ctx context.Context, h *load.Harness, stderr io.Writer) error {
	o := explore.Defaults()
	o.Levels, o.MaxOps, o.MaxTreeBytes, o.Patience = []isolation.Level{y.Level}, 1000, 1<<28, max(10*time.Second, y.file.Patience)
	o.Timeout, o.Workers, o.Recheck = y.Timeout, 1, 0 // each request has run twice
	o.Dir, _ = os.Getwd()
	config, err := json.Marshal(harness.Request{Version: harness.Version, Package: filepath.Base(y.file.Name), Options: o, Server: y.Server})
	if err != nil {
		return err
	}
	var said bytes.Buffer
	ended := false
	err = h.Run(context.WithoutCancel(ctx), ctx.Done(), []string{harness.Variable + "=" + string(config)}, &said, func(line []byte) error {
		ended = ended || report.Type(line) == harness.TypeEnd
		return y.line(line)
	})
	switch {
	case !ended && said.Len() > 0:
		return errors.New(strings.TrimPrefix(strings.TrimSpace(said.String()), "txmc: "))
	case !ended:
		return errors.Join(errors.New("the process that explores has ended by itself"), err)
	}
	if y.Verbose {
		_, err = said.WriteTo(stderr)
	}
	return err
}

// line takes a line of the harness.
func (y *finding) line(line []byte) error {
	switch report.Type(line) {
	case report.TypeViolation:
		var v report.Violation
		if err := report.Parse(line, &v); err != nil {
			return err
		}
		y.violations[v.Program] = &v
		y.lines = append(y.lines, bytes.Clone(line))
	case report.TypeResult:
		var r report.Result
		if err := report.Parse(line, &r); err != nil {
			return err
		}
		y.results[r.Program] = &r
		y.lines = append(y.lines, bytes.Clone(line))
	case report.TypeError:
		var e report.Error
		if err := report.Parse(line, &e); err != nil {
			return err
		}
		y.errors[e.Program] = e.Message
	}
	return nil
}

// status is what it comes to.
func (y *finding) status(ctx context.Context) driver.Status {
	s := driver.OK
	for _, r := range y.results {
		if !r.Complete && r.Violations == 0 {
			s = s.Worse(driver.Incomplete)
		}
	}
	switch {
	case len(y.violations) > 0:
		return driver.Violation
	case len(y.errors)+len(y.Left) > 0:
		return driver.Failed
	case ctx.Err() != nil:
		return driver.Incomplete
	}
	return s
}

// names are the programs of the pairs, in the order of the file.
func (y *finding) names() []string {
	list := []string{}
	for name := range y.Programs {
		list = append(list, name)
	}
	slices.SortFunc(list, func(a, b string) int { return y.Programs[a] - y.Programs[b] })
	return list
}

// pair are the requests of a program.
func (y *finding) pair(name string) (a, b string) {
	n, of := y.Programs[name], len(y.Names)
	return y.Names[n/of], y.Names[n%of]
}

// write writes the report.
func (y *finding) write(to io.Writer) error {
	if y.Format == "json" {
		return y.json(to)
	}
	if y.Verbose {
		if err := y.whole(to); err != nil {
			return err
		}
	}
	_, err := io.WriteString(to, y.text())
	return err
}

// whole writes the reports of the violations.
func (y *finding) whole(to io.Writer) error {
	out := output.New(output.Options{Format: "text", Stderr: io.Discard}, to)
	for _, line := range y.lines {
		var r report.Result
		if report.Type(line) == report.TypeViolation {
			if err := out.Violation(line); err != nil {
				return err
			}
		} else if err := report.Parse(line, &r); err != nil {
			return err
		} else if r.Violations > 0 {
			if err := out.Result(&r, line); err != nil {
				return err
			}
		}
	}
	return out.Close()
}

// json writes one object.
func (y *finding) json(to io.Writer) error {
	type bug struct {
		Requests  [2]string         `json:"requests"`
		Violation *report.Violation `json:"violation"`
	}
	bugs := []bug{}
	for _, name := range y.names() {
		if v := y.violations[name]; v != nil {
			a, b := y.pair(name)
			bugs = append(bugs, bug{[2]string{a, b}, v})
		}
	}
	return json.NewEncoder(to).Encode(struct {
		Bugs   []bug             `json:"bugs"`
		Errors map[string]string `json:"errors,omitempty"`
		*Pairs
	}{bugs, y.errors, &y.Pairs})
}

// text is the report for people.
func (y *finding) text() string {
	var b strings.Builder
	bugs, open := 0, 0
	for _, name := range y.names() {
		one, two := y.pair(name)
		v, r := y.violations[name], y.results[name]
		switch {
		case v != nil:
			bugs++
			fmt.Fprintf(&b, "%d  %s\n   × %s\n%s", bugs, one, two, told(v))
		case y.errors[name] != "":
			open++
			fmt.Fprintf(&b, "-  %s\n   × %s\n     not explored: %s\n", one, two, y.errors[name])
		case r == nil || !r.Complete:
			open++
			fmt.Fprintf(&b, "-  %s\n   × %s\n     not explored to the end\n", one, two)
		}
	}
	for _, l := range y.Left {
		fmt.Fprintf(&b, "-  %s\n     not explored: %s\n", l.Name, l.Why)
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	n := len(y.Names)
	fmt.Fprintf(&b, "%s in %s of %s at %s", counted(bugs, "bug"), counted(n*(n+1)/2, "pair"), counted(n, "request"), strings.TrimPrefix(y.Level.Title(), y.Level.Database().Title()+" "))
	fmt.Fprintf(&b, ": %d proved, %d of them as they touch nothing in common", len(y.Programs)-bugs-open+y.Apart, y.Apart)
	if rest := n*(n+1)/2 - len(y.Programs) - y.Apart + open; rest > 0 {
		fmt.Fprintf(&b, "; %d not explored", rest)
	}
	b.WriteString("\n")
	if y.Kept > 0 {
		fmt.Fprintf(&b, "the application keeps answers in memory for %s: explored is what it does then\n", counted(y.Kept, "request"))
	}
	if y.Verbose {
		fmt.Fprintf(&b, "%s, %s of the application\n", counted(y.Sent, "request"), counted(y.Starts, "start"))
	}
	return b.String()
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// told says what goes wrong in a violation, in a few lines.
func told(v *report.Violation) string {
	var b strings.Builder
	for _, f := range v.Failures {
		fmt.Fprintf(&b, "     %s: %s\n", cmp.Or(f.Name, f.Session), f.Message)
	}
	for _, o := range v.Observed {
		fmt.Fprintf(&b, "     %s gets: %s\n", o.Key, strings.ReplaceAll(o.Value, `\"`, `"`))
	}
	if l, err := isolation.Parse(v.PreventedAt); err == nil {
		fmt.Fprintf(&b, "     %s prevents this\n", strings.TrimPrefix(l.Title(), l.Database().Title()+" "))
	}
	return b.String()
}

// programsOf are the programs of a harness: of the file's sessions, or of its pairs.
func programsOf(f *File) ([]harness.Program, error) {
	w := NewWorld(f)
	if out := os.Getenv(pairsVariable); out != "" {
		os.Unsetenv(pairsVariable)
		return w.pairs(out)
	}
	return []harness.Program{{Name: f.Program(), Explore: func(p *program.Program) { w.Explore(p) }}}, nil
}
