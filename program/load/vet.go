package load

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/txmc/txmc/program/vet"
	"golang.org/x/tools/go/packages"
)

// Finding is what [Package.Vet] complains about.
type Finding struct {
	Check  string // name of the check
	At     string // file:line, the file as seen from the user's directory
	Column int    // in bytes, from 1
	vet.Problem
}

// Beside returns a copy of p for a Vet that runs beside p's Build. It does not
// answer complaints about go.mod and go.sum: after the build p can.
func (p *Package) Beside() *Package {
	t, q := *p.tool, *p
	t.repaired = true
	q.tool = &t
	return &q
}

// Vet looks for what keeps the package's functions from being explored, without running
// anything. It also looks into the packages of the same module that the package
// imports, the nearest first, as far as that is quick. The error is a [*ToolError]
// where the go command fails.
func (p *Package) Vet(ctx context.Context) (found []Finding, err error) {
	defer func() {
		if v := recover(); v != nil {
			found, err = nil, fmt.Errorf("vet cannot inspect %s, please report it: %v\n%s", p.Path, v, debug.Stack())
		}
	}()
	if _, r := p.state(p.kept()); r != nil {
		if found, ok := r.Findings[p.chosen()]; ok {
			return found, nil
		}
	}
	root, err := p.details(ctx)
	if err != nil {
		return nil, err
	}
	record := p.begin(ctx, root)
	found, err = p.inspect(ctx, root)
	if err == nil {
		p.note(record, found)
	}
	return found, err
}

// inspect inspects the package that the go command has listed with all that it imports.
func (p *Package) inspect(ctx context.Context, root *packages.Package) (found []Finding, err error) {
	c := newChecker(p.tool)
	for _, h := range helpers(root) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// What cannot be inspected has no facts.
		if res, err := c.inspect(h, nil); err == nil {
			c.facts[h.PkgPath] = res.Facts
		}
	}
	if root.ForTest != "" {
		c.forget() // variants for tests have the same paths
	}
	res, err := c.inspect(root, p.Names())
	if err != nil {
		return nil, err
	}
	for _, f := range res.Findings {
		at := c.fset.Position(f.Pos)
		found = append(found, Finding{f.Check, p.tool.position(at), at.Column, f.Problem})
	}
	return found, nil
}
