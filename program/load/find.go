package load

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Config says what to load.
type Config struct {
	Dir      string   // where the user is; "" is the current directory
	Patterns []string // as for go build; none is the package in Dir
	Tags     string   // build tags, as for go build -tags
	Run      string   // regular expression that a function's name must match
	Temp     string   // an existing directory for temporary files
	Cache    string   // where harnesses are kept for the next run, "" for nowhere
	// Determinism builds harnesses in which time, random numbers, map order and
	// select repeat themselves. Where that cannot be done there is a warning.
	Determinism bool
	// Server is the package below server/proxy by which harnesses can run programs on a
	// real database server: "." is that one itself; "" builds harnesses without any.
	Server string
	// Requires are modules of txmc that generated files import, of [LoadSource].
	Requires []string
	// Log, when not nil, is told what is done.
	Log func(format string, args ...any)
}

// Package is a package with Explore functions.
type Package struct {
	Path      string // import path
	Name      string
	Dir       string
	Functions []Function // those that Run matches, in source order

	// every function of the package is in its harness, whichever Run matches, so that one
	// harness serves all of them; nil where they are Functions.
	every    []Function
	tool     *tool
	virtual  string   // import path of the generated main, "" for a test
	file     string   // where the generated file seems to be
	external bool     // the functions are in package Name_test
	hide     []string // files that must not be compiled
	imported          // where the package is a generated one
	unbuilt
}

// unbuilt is why a package is not built.
type unbuilt struct {
	err   error    // it cannot be
	given *Harness // it need not be: see Made
}

// imported is what a generated package has to do with others.
type imported struct {
	roots []*packages.Package // that it imports
	sets  Variables           // that its functions set
}

// Function is an Explore function.
type Function struct {
	Name string
	At   string // file:line, the file as seen from the user's directory
}

// Loaded is the result of Load.
type Loaded struct {
	Packages []*Package
	Warnings []string
}

// Load finds the Explore functions of the packages that the patterns match. Packages
// without any are left out when others have some. The error is a [*ToolError] where the
// go command fails. The result is never nil: warnings may explain an error.
func Load(ctx context.Context, c Config) (*Loaded, error) {
	var run *regexp.Regexp
	if c.Run != "" {
		var err error
		if run, err = regexp.Compile(c.Run); err != nil {
			return &Loaded{}, &RunError{Pattern: c.Run, Err: err}
		}
	}
	if len(c.Patterns) == 0 {
		c.Patterns = []string{"."}
	}
	for _, p := range c.Patterns {
		if strings.Contains(p, "=") {
			return &Loaded{}, &NotPackageError{p}
		}
	}
	t, err := newTool(ctx, c)
	if err != nil {
		return &Loaded{}, err
	}
	warning, err := t.repeatable(ctx, c.Determinism)
	if err != nil {
		return &Loaded{}, err
	}
	patterns, files, err := t.sourceFiles(c.Patterns)
	if err != nil {
		return &Loaded{}, err
	}
	listed, err := t.list(ctx, patterns)
	if err != nil {
		return &Loaded{}, t.elsewhere(err, patterns, explore)
	}
	f := &finder{tool: t, patterns: c.Patterns}
	if warning != "" {
		f.Warnings = append(f.Warnings, warning)
	}
	err = t.elsewhere(f.all(ctx, listed), patterns, explore)
	if err == nil && len(files) > 0 {
		err = f.keepFiles(files)
	}
	if err == nil && run != nil {
		err = f.keep(run)
	}
	return &f.Loaded, err
}

// finder collects what the listed packages have.
type finder struct {
	Loaded
	tool     *tool
	patterns []string
	broken   []*packages.Package
	bare     bool // no package imports txmc
}

func (f *finder) all(ctx context.Context, listed []*packages.Package) error {
	if len(listed) == 0 {
		return fmt.Errorf("%s matches no packages", strings.Join(f.patterns, " "))
	}
	f.bare = true
	for _, group := range variants(listed) {
		if err := f.group(ctx, group); err != nil {
			return err
		}
	}
	for _, p := range f.broken {
		err := f.tool.explain(ctx, p)
		if ctx.Err() != nil || len(f.Packages) == 0 || !f.wild() {
			return err
		}
		f.Warnings = append(f.Warnings, fmt.Sprintf("%s is left out: %v", p.PkgPath, err))
	}
	if len(f.Packages) > 0 {
		return nil
	}
	return f.none()
}

// wild reports whether the user did not name every package.
func (f *finder) wild() bool {
	return slices.ContainsFunc(f.patterns, func(p string) bool { return strings.Contains(p, "...") })
}

// none explains what an Explore function is.
func (f *finder) none() error {
	var b strings.Builder
	fmt.Fprintf(&b, "no Explore function in %s", strings.Join(f.patterns, " "))
	b.WriteString("\nAn Explore function declares a client program:\n\n" +
		"    func ExploreTransfer(p *txmc.Program) {\n" +
		"        x := txmc.NewVar(p, \"x\", 0)\n" +
		"        p.Session(\"writer\", func(s *txmc.Session) {\n" +
		"            s.Txn(\"inc\", func(tx *txmc.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })\n" +
		"        })\n" +
		"    }\n")
	if f.bare {
		b.WriteString("\nwith import \"github.com/txmc/txmc\"; add that to the module with: go get github.com/txmc/txmc\n")
	}
	return errors.New(strings.TrimRight(b.String(), "\n"))
}

// keep drops the functions that run does not match.
func (f *finder) keep(run *regexp.Regexp) error {
	var names []string
	var kept []*Package
	for _, p := range f.Packages {
		names = append(names, p.Names()...)
		p.narrow(func(fn Function) bool { return run.MatchString(fn.Name) })
		if len(p.Functions) > 0 {
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 {
		return &RunError{Pattern: run.String(), Names: names}
	}
	f.Packages = kept
	return nil
}

// narrow drops the functions that are not to be explored. The harness has them all the same.
func (p *Package) narrow(wanted func(Function) bool) {
	p.every = p.built()
	p.Functions = slices.DeleteFunc(slices.Clone(p.Functions), func(fn Function) bool { return !wanted(fn) })
}

// built are the functions that the harness has.
func (p *Package) built() []Function {
	if p.every != nil {
		return p.every
	}
	return p.Functions
}

// Names are those of the package's Functions.
func (p *Package) Names() []string {
	names := []string{}
	for _, f := range p.Functions {
		names = append(names, f.Name)
	}
	return names
}

// RunError is met when the expression that chooses functions is none, or matches
// none of the functions of the packages.
type RunError struct {
	Pattern string
	Err     error    // of the expression; nil when it matches none
	Names   []string // of the functions
}

// Error says which pattern is wrong, and how.
func (e *RunError) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return fmt.Sprintf("%s matches none of the Explore functions: %s", e.Pattern, strings.Join(e.Names, ", "))
}

// Unwrap returns what is wrong with the pattern.
func (e *RunError) Unwrap() error { return e.Err }

// NotPackageError is met when a pattern of packages is one of something else.
type NotPackageError struct{ Pattern string }

// Error says what to give in place of the argument.
func (e *NotPackageError) Error() string {
	return e.Pattern + " is not a package: name directories or import paths, as for go build"
}
