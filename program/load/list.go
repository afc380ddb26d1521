package load

import (
	"context"
	"errors"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

// list asks the go command for the packages and their test variants. When go.mod
// or go.sum has to be changed first, copies of them are.
func (t *tool) list(ctx context.Context, patterns []string) ([]*packages.Package, error) {
	list, err := t.listOnce(ctx, patterns)
	var e *ToolError
	if errors.As(err, &e) && stale(e) && !t.repaired {
		t.repair(ctx, err)
		if list, again := t.listOnce(ctx, patterns); again == nil {
			return list, nil
		}
	}
	return list, err
}

func (t *tool) listOnce(ctx context.Context, patterns []string) ([]*packages.Package, error) {
	t.log("go list %s", strings.Join(patterns, " "))
	list, err := packages.Load(t.config(ctx, packages.NeedName|packages.NeedFiles|packages.NeedModule|packages.NeedForTest, true), patterns...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, driverError(err)
	}
	for _, p := range list {
		for _, e := range p.Errors {
			if err := (&ToolError{e.Msg}); stale(err) && !t.repaired {
				return nil, err
			}
		}
	}
	return list, nil
}

func (t *tool) config(ctx context.Context, mode packages.LoadMode, tests bool) *packages.Config {
	flags := t.flags
	if t.renames || mode&packages.NeedExportFile != 0 && t.repeats && t.root == "" {
		// So that the harness, built like that, finds in the build cache what is compiled here.
		if overlay, err := t.overlaid(nil); err == nil {
			flags = append(flags[:len(flags):len(flags)], overlay)
		}
	}
	return &packages.Config{Context: ctx, Mode: mode, Dir: t.dir, Env: t.environ(), BuildFlags: flags, Tests: tests}
}

// driverError is what the go command said to go/packages.
func driverError(err error) error {
	_, said, found := strings.Cut(err.Error(), "stderr: ")
	if !found {
		return err
	}
	return &ToolError{said}
}

// explain returns why the go command cannot use p, in its words.
func (t *tool) explain(ctx context.Context, p *packages.Package) error {
	args := append([]string{"build", "-o", os.DevNull}, t.flags...)
	if _, err := t.run(ctx, append(args, p.PkgPath)...); err != nil {
		return err
	}
	var errs []error
	for _, e := range p.Errors {
		errs = append(errs, e)
	}
	return errors.Join(errs...)
}
