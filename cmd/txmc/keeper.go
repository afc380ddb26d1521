package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/txmc/txmc/checkpoint"
	"github.com/txmc/txmc/harness"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// keeper writes checkpoints and goes on where one was written. A nil keeper does
// neither.
//
// What is printed is part of what must not be lost or repeated: a checkpoint says
// how much of the report there was. With -o, what came after it is cut off and
// written again.
type keeper struct {
	name  string
	every time.Duration
	page  bool             // the report is a page
	old   *checkpoint.File // where to go on; nil at the beginning
	file  *checkpoint.File
	// before are the histories that were listed before.
	before map[at]int64
}

// at is a program of a package, and a level.
type at struct{ pkg, program, iso string }

// listed is the number of histories that were listed before.
func (k *keeper) listed(pkg, program, iso string) int {
	if k == nil {
		return 0
	}
	return int(k.before[at{pkg, program, iso}])
}

func (x *explore) checkCheckpoint() error {
	switch {
	case x.CheckpointEvery <= 0:
		return errors.New("--checkpoint-every must be more than zero, such as 30s")
	case (x.Checkpoint != "" || x.Resume != "") && strings.EqualFold(x.Base, "none"):
		return errors.New("--checkpoint and --resume do not go with --base=none: the baseline without reduction has none")
	}
	if x.Resume == "" {
		return nil
	}
	var err error
	if x.resumed, err = checkpoint.Read(x.Resume); err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	if err := x.resumed.Same(x.described()); err != nil {
		return fmt.Errorf("--resume: %s: %w", x.Resume, err)
	}
	if x.Checkpoint == "" {
		x.Checkpoint = x.Resume
	}
	return nil
}

// described is a checkpoint of nothing, with the options that must not change.
func (x *explore) described() *checkpoint.File {
	var iso []string
	for _, l := range x.levels {
		iso = append(iso, l.String())
	}
	output := x.Output
	if abs, err := filepath.Abs(output); err == nil && output != "" {
		output = abs
	}
	yes := map[bool]string{true: "true"}
	return &checkpoint.File{Txmc: version(), Packages: map[string]string{}, Options: []checkpoint.Option{
		{Name: "iso", Value: strings.Join(iso, ",")}, {Name: "base", Value: strings.ToLower(x.Base)}, {Name: "engine", Value: strings.ToLower(x.Engine)},
		{Name: "run", Value: x.Run}, {Name: "tags", Value: x.Tags}, {Name: "max-ops", Value: fmt.Sprint(x.MaxOps)},
		{Name: "all", Value: yes[x.All]}, {Name: "list", Value: yes[x.List]}, {Name: "format", Value: x.Format}, {Name: "output", Value: output},
	}}
}

func newKeeper(x *explore) *keeper {
	if x.Checkpoint == "" {
		return nil
	}
	k := &keeper{name: x.Checkpoint, every: x.CheckpointEvery, page: x.Format == "html", old: x.resumed, file: x.described(), before: map[at]int64{}}
	if k.old != nil {
		k.file = k.old
	}
	return k
}

// openOutput opens the file of -o. When a checkpoint is resumed, what was written
// after it is cut off.
func (x *explore) openOutput() (*os.File, error) {
	if x.resumed == nil || x.Format == "html" {
		return os.Create(x.Output)
	}
	f, err := os.OpenFile(x.Output, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("the report that the checkpoint continues: %w", err)
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err == nil && end < x.resumed.Written {
		err = fmt.Errorf("%s has %d bytes, and the checkpoint continues a report of %d bytes", x.Output, end, x.resumed.Written)
	}
	if err == nil {
		err = f.Truncate(x.resumed.Written)
	}
	if err == nil {
		_, err = f.Seek(x.resumed.Written, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// begin shows what was done before.
func (k *keeper) begin(e *explorer) error {
	if k == nil {
		return nil
	}
	if k.old == nil {
		return k.write(e)
	}
	for i := range k.old.Done {
		e.result(&k.old.Done[i])
	}
	for _, line := range k.old.Shown {
		var err error
		if report.Type(line) == report.TypeViolation {
			err = e.out.violation(line)
		} else {
			var r report.Result
			if err = report.Parse(line, &r); err == nil {
				err = e.out.result(&r, line)
			}
		}
		if err != nil {
			return garbled(err)
		}
	}
	e.out.written = k.old.Written
	if !e.options.Quiet {
		fmt.Fprintf(e.stderr, "txmc: resumed: %s: %s done, %d under way\n", k.name, plural(len(k.old.Done), "result"), len(k.old.Left))
	}
	return nil
}

// fits checks that what is resumed is among the packages that are explored.
func (k *keeper) fits(packages []*load.Package) error {
	if k == nil || k.old == nil {
		return nil
	}
	for path := range k.old.Packages {
		if !slices.ContainsFunc(packages, func(p *load.Package) bool { return p.Path == path }) {
			return fmt.Errorf("--resume: %s: it is of package %s, which is not among those that are explored now: give the options and packages of the run that it is of", k.name, path)
		}
	}
	return nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// ask tells a harness what is done and where to go on.
func (k *keeper) ask(p *load.Package, h *load.Harness, opts *harness.Options) error {
	if k == nil {
		return nil
	}
	hash, err := hashOf(h.Binary)
	if err != nil {
		return err
	}
	if was, ok := k.file.Packages[p.Path]; ok && was != hash {
		return fmt.Errorf("%s: the checkpoint is of another program: the code of %s, of what it imports, the build tags or the Go version have changed; start again without --resume", k.name, p.Path)
	}
	k.file.Packages[p.Path] = hash
	opts.Checkpoint = k.every
	for _, r := range k.file.Done {
		if r.Package == p.Path {
			opts.Done = append(opts.Done, harness.Place{Program: r.Program, Iso: r.Iso})
		}
	}
	var left []harness.Checkpoint
	for _, l := range k.file.Left {
		if l.Package != p.Path {
			continue
		}
		var c harness.Checkpoint
		if err := json.Unmarshal(l.State, &c); err != nil || c.Frontier == nil || c.Place != (harness.Place{Program: l.Program, Iso: l.Iso}) {
			return fmt.Errorf("%s is damaged: it does not say what is left of %s", k.name, l.Program)
		}
		k.before[at{l.Package, l.Program, l.Iso}] = c.Frontier.Counts.Histories
		left = append(left, c)
	}
	if len(left) == 0 {
		return nil
	}
	data, err := json.Marshal(left)
	if err != nil {
		return err
	}
	// It may be larger than the environment of a process.
	opts.Resume = filepath.Join(filepath.Dir(h.Binary), "resume.json")
	return os.WriteFile(opts.Resume, data, 0o600)
}

// hashOf tells programs apart, with all that they are built of.
func hashOf(binary string) (string, error) {
	f, err := os.Open(binary)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// keep notes what is left of an exploration.
func (k *keeper) keep(e *explorer, p *load.Package, line []byte) error {
	if k == nil {
		return garbled(errors.New("a checkpoint that was not asked for"))
	}
	var at harness.Place
	if err := json.Unmarshal(line, &at); err != nil {
		return garbled(err)
	}
	k.file.Keep(checkpoint.Left{Package: p.Path, Program: at.Program, Iso: at.Iso, State: slices.Clone(line)})
	return k.write(e)
}

// finished notes a result, if nothing is left to do for it.
func (k *keeper) finished(e *explorer, r *report.Result, line []byte) error {
	if k == nil || !r.Complete && r.Stopped != "violation" {
		return nil
	}
	k.show(line)
	k.file.Finish(*r)
	return k.write(e)
}

// show keeps what a page shows, which is written at the end only.
func (k *keeper) show(line []byte) {
	if k != nil && k.page {
		k.file.Shown = append(k.file.Shown, slices.Clone(line))
	}
}

// write writes the checkpoint, after what it says was printed.
func (k *keeper) write(e *explorer) error {
	if e.out.file != nil {
		if err := e.out.file.Sync(); err != nil && e.options.Output != os.DevNull {
			return fmt.Errorf("cannot write the report: %w", err)
		}
	}
	k.file.Written = e.out.written
	if err := k.file.Write(k.name); err != nil {
		return fmt.Errorf("--checkpoint: %w", err)
	}
	return nil
}
