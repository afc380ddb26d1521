package checkpoint

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/report"
)

// Keeper writes checkpoints and goes on where one was written. A nil Keeper does
// neither.
//
// What is printed is part of what must not be lost or repeated: a checkpoint says
// how much of the report there was. What came after it is cut off and written again.
type Keeper struct {
	name  string
	every time.Duration
	page  bool  // the report is a page
	old   *File // where to go on; nil at the beginning
	file  *File
	// before are the histories that were listed before.
	before map[exploration]int64
}

type exploration struct{ pkg, program, iso string }

// NewKeeper returns a keeper of the file of that name, written every so often. What
// must not change is in begin; old is nil or where to go on. With a page, what is
// shown is kept too, as pages are written at the end.
func NewKeeper(name string, every time.Duration, begin, old *File, page bool) *Keeper {
	k := &Keeper{name: name, every: every, page: page, old: old, file: begin, before: map[exploration]int64{}}
	if old != nil {
		k.file = old
	}
	return k
}

// Old is the checkpoint that is resumed, or nil.
func (k *Keeper) Old() *File {
	if k == nil {
		return nil
	}
	return k.old
}

// Name is that of the file.
func (k *Keeper) Name() string { return k.name }

// Listed is the number of histories that were listed before.
func (k *Keeper) Listed(pkg, program, iso string) int {
	if k == nil {
		return 0
	}
	return int(k.before[exploration{pkg, program, iso}])
}

// Fits checks that what is resumed is among the packages that are explored.
func (k *Keeper) Fits(packages []string) error {
	if k.Old() == nil {
		return nil
	}
	for path := range k.old.Packages {
		if !slices.Contains(packages, path) {
			return fmt.Errorf("--resume: %s: it is of package %s, which is not among those that are explored now: give the options and packages of the run that it is of", k.name, path)
		}
	}
	return nil
}

// Plan is what a harness is told of a checkpoint.
type Plan struct {
	Every  time.Duration
	Done   []explore.Place
	Resume string // file of what is left; "" when nothing was begun
}

// Plan says what is done of a package and where to go on, for the harness in the
// file binary: what is left is written beside it.
func (k *Keeper) Plan(pkg, binary string) (p Plan, err error) {
	if k == nil {
		return p, nil
	}
	hash, err := hashOf(binary)
	if err != nil {
		return p, err
	}
	if was, ok := k.file.Packages[pkg]; ok && was != hash {
		return p, fmt.Errorf("%s: the checkpoint is of another program: the code of %s, of what it imports, the build tags or the Go version have changed; start again without --resume", k.name, pkg)
	}
	k.file.Packages[pkg] = hash
	p.Every = k.every
	for _, r := range k.file.Done {
		if r.Package == pkg {
			p.Done = append(p.Done, explore.Place{Program: r.Program, Iso: r.Iso})
		}
	}
	left, err := k.left(pkg)
	if err != nil || len(left) == 0 {
		return p, err
	}
	data, err := json.Marshal(left)
	if err != nil {
		return p, err
	}
	// It may be larger than the environment of a process.
	p.Resume = filepath.Join(filepath.Dir(binary), "resume.json")
	return p, os.WriteFile(p.Resume, data, 0o600)
}

// left is what was begun of a package.
func (k *Keeper) left(pkg string) (list []explore.Checkpoint, err error) {
	for _, l := range k.file.Left {
		if l.Package != pkg {
			continue
		}
		var c explore.Checkpoint
		if err := json.Unmarshal(l.State, &c); err != nil || c.Frontier == nil || c.Place != (explore.Place{Program: l.Program, Iso: l.Iso}) {
			return nil, fmt.Errorf("%s is damaged: it does not say what is left of %s", k.name, l.Program)
		}
		if c.Alike == nil || len(c.Alike.Sets) == 0 { // else nothing was listed yet
			k.before[exploration{l.Package, l.Program, l.Iso}] = c.Frontier.Counts.Histories
		}
		list = append(list, c)
	}
	return list, nil
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

// Keep notes what is left of an exploration, as the harness says it.
func (k *Keeper) Keep(pkg string, line []byte) error {
	if k == nil {
		return &report.LineError{Err: errors.New("a checkpoint that was not asked for")}
	}
	var at explore.Place
	if err := json.Unmarshal(line, &at); err != nil {
		return &report.LineError{Err: err}
	}
	k.file.Keep(Left{Package: pkg, Program: at.Program, Iso: at.Iso, State: slices.Clone(line)})
	return nil
}

// Finish notes a result and reports whether nothing is left to do for it.
func (k *Keeper) Finish(r *report.Result, line []byte) bool {
	if k == nil || !r.Complete && r.Stopped != "violation" {
		return false
	}
	k.Show(line)
	k.file.Finish(*r)
	return true
}

// Show keeps what a page shows, which is written at the end only.
func (k *Keeper) Show(line []byte) {
	if k != nil && k.page {
		k.file.Shown = append(k.file.Shown, slices.Clone(line))
	}
}

// Has reports whether a result is part of the checkpoint.
func (k *Keeper) Has(pkg, program, iso string) bool {
	return k != nil && slices.ContainsFunc(k.file.Done, func(r report.Result) bool {
		return r.Package == pkg && r.Program == program && r.Iso == iso
	})
}

// Write writes the checkpoint, after what it says was written of the report, which
// is synced first when it is a file.
func (k *Keeper) Write(written int64, output *os.File) error {
	if k == nil {
		return nil
	}
	if output != nil {
		if err := output.Sync(); err != nil && output.Name() != os.DevNull {
			return fmt.Errorf("cannot write the report: %w", err)
		}
	}
	k.file.Written = written
	if err := k.file.Write(k.name); err != nil {
		return fmt.Errorf("--checkpoint: %w", err)
	}
	return nil
}

// Continue opens the report that the checkpoint continues: what was written after
// it is cut off.
func (f *File) Continue(output string) (*os.File, error) {
	file, err := os.OpenFile(output, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("the report that the checkpoint continues: %w", err)
	}
	end, err := file.Seek(0, io.SeekEnd)
	if err == nil && end < f.Written {
		err = fmt.Errorf("%s has %d bytes, and the checkpoint continues a report of %d bytes", output, end, f.Written)
	}
	if err == nil {
		err = file.Truncate(f.Written)
	}
	if err == nil {
		_, err = file.Seek(f.Written, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
