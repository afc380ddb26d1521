package load

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"
)

// When nothing has changed since the last run, the harness that was built then and the
// findings of vet then are still right. The go command lists the package, and need not build
// it. What has not changed is told by contents, never by times: see closure.

// A record is what vet found, and in which state of what the harness is built of.
type record struct {
	Made     string // the command that made it and the directory where the user was
	Closure  closure
	State    string               // the closure's sum
	Findings map[string][]Finding // by the functions that vet was about
}

// chosen names the functions that vet is about.
func (p *Package) chosen() string { return strings.Join(p.Names(), " ") }

// state is the present state of the harness's sources, with the record that is of the same
// state. It is "" where there is no such record.
func (p *Package) state(kept string) (string, *record) {
	if kept == "" || p.roots != nil { // a generated file is in no directory
		return "", nil
	}
	data, err := os.ReadFile(kept + recorded)
	if err != nil {
		return "", nil
	}
	r := &record{}
	if json.Unmarshal(data, r) != nil || r.State == "" || r.Made != p.made() {
		return "", nil
	}
	if sum, err := r.Closure.sum(); err != nil || sum != r.State {
		return "", nil
	}
	now := time.Now()
	os.Chtimes(kept+recorded, now, now)
	return r.State, r
}

// made tells who makes records and builds: another txmc may find something else, and another
// Go of the same version may compile something else.
func (p *Package) made() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	made := p.tool.dir
	for _, name := range []string{name, filepath.Join(p.tool.env.GOTOOLDIR, "compile")} {
		info, err := os.Stat(name)
		if err != nil {
			return ""
		}
		made += fmt.Sprintf(" %s %d %d", name, info.Size(), info.ModTime().UnixNano())
	}
	return made
}

// begin is the state of the harness's sources, as the go command has just listed them. It
// is nil where that is not known for sure.
func (p *Package) begin(ctx context.Context, root *packages.Package) *record {
	c := p.closure(ctx, root)
	if c == nil {
		return nil
	}
	r := &record{Made: p.made(), Closure: *c}
	var err error
	if r.State, err = c.sum(); err != nil || r.Made == "" {
		return nil
	}
	return r
}

// note keeps the record with the findings, unless something has changed meanwhile. That it
// cannot be kept is no error: the next run takes longer.
func (p *Package) note(r *record, found []Finding) {
	kept := p.kept()
	if r == nil || kept == "" {
		return
	}
	if sum, err := r.Closure.sum(); err != nil || sum != r.State {
		return
	}
	r.Findings = map[string][]Finding{}
	if _, old := p.state(kept); old != nil && old.State == r.State && old.Findings != nil {
		r.Findings = old.Findings
	}
	r.Findings[p.chosen()] = found
	if data, err := json.Marshal(r); err == nil {
		put(kept+recorded, func(name string) error { return os.WriteFile(name, data, 0o600) })
		removeOldest(filepath.Dir(kept))
	}
}

// put makes a file that other processes may read or make at the same time.
func put(name string, write func(temporary string) error) {
	dir := filepath.Dir(name)
	if os.MkdirAll(dir, 0o777) != nil {
		return
	}
	temporary, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return
	}
	temporary.Close()
	if write(temporary.Name()) != nil || os.Rename(temporary.Name(), name) != nil {
		os.Remove(temporary.Name())
	}
}
