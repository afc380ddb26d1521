package specs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/explore/spec"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
)

// Command runs files as txmc explore does.
type Command struct {
	Files    []string
	Run      string          // a regular expression of names
	Level    isolation.Level // of transactions that ask for none
	Orders   bool            // print all orders of a file without permutations
	Expected string          // compare with this file, or with NAME.out of this directory; "": print
	DSN      string          // of the database; "": the model
	Server   string          // its name, for people
	Compare  bool            // compare the model with the server

	Stdout, Stderr io.Writer

	status driver.Status
}

// Read reads the files whose permutations are printed. The names of the others, without permutations, are those of
// programs to be explored, unless their orders are wanted one by one.
func (c *Command) Read() (printed []*spec.Spec, explored []string, err error) {
	wanted, err := regexp.Compile(c.Run)
	if err != nil {
		return nil, nil, &load.RunError{Pattern: c.Run, Err: err}
	}
	var names []string
	for _, name := range c.Files {
		if !spec.Is(name) {
			return nil, nil, fmt.Errorf("%s is no file of isolationtester, and others that are named are: name files of one kind", name)
		}
		s, warnings, err := spec.Read(name)
		if err != nil {
			return nil, nil, err
		}
		for _, w := range warnings {
			fmt.Fprintf(c.Stderr, "txmc: warning: %s: %s\n", name, w)
		}
		names = append(names, s.Name())
		switch {
		case !wanted.MatchString(s.Name()):
		case len(s.Permutations) > 0 || c.Expected != "" || c.Orders:
			printed = append(printed, s)
		default:
			explored = append(explored, name)
		}
	}
	if len(printed)+len(explored) == 0 {
		return nil, nil, &load.RunError{Pattern: c.Run, Names: names}
	}
	return printed, explored, nil
}

// Print runs the permutations of files, and prints or compares them.
func (c *Command) Print(ctx context.Context, files []*spec.Spec) driver.Status {
	for _, s := range files {
		if err := c.file(ctx, s); err != nil {
			fmt.Fprintln(c.Stderr, "txmc:", err)
			c.status = c.status.Worse(driver.Failed)
		}
		if ctx.Err() != nil {
			return c.status.Worse(driver.Incomplete)
		}
	}
	return c.status
}

// runner runs permutations of a file, and goes on after one that has failed.
type runner struct {
	make func() (spec.Database, func() error, error)
	spec.Database
	close func() error
}

func (r *runner) run(ctx context.Context, s *spec.Spec, p *spec.Permutation) (text string, err error) {
	if r.Database == nil {
		if r.Database, r.close, err = r.make(); err != nil {
			return "", err
		}
	}
	var b bytes.Buffer
	if err = s.Run(ctx, r.Database, p, &b); err != nil {
		err = errors.Join(err, r.end())
	}
	return b.String(), err
}

func (r *runner) end() (err error) {
	if r.Database != nil {
		err = r.close()
		r.Database = nil
	}
	return err
}

func (c *Command) onModel(s *spec.Spec) *runner {
	return &runner{make: func() (spec.Database, func() error, error) {
		m := spec.NewModel(s, c.Level)
		return m, m.Close, nil
	}}
}

func (c *Command) onServer(ctx context.Context, s *spec.Spec) *runner {
	return &runner{make: func() (spec.Database, func() error, error) {
		d, err := Connect(ctx, s, c.DSN)
		if err != nil {
			return nil, nil, err
		}
		return d, d.empty, d.clear(ctx)
	}}
}

// file runs the permutations of a file.
func (c *Command) file(ctx context.Context, s *spec.Spec) (err error) {
	r, other := c.onModel(s), (*runner)(nil)
	if c.DSN != "" {
		other, r = r, c.onServer(ctx, s)
	}
	defer func() { err = errors.Join(err, r.end(), other.ended()) }()
	if !c.Compare {
		other = nil
	}
	var want *spec.Expected
	if c.Expected != "" {
		if want, err = s.ReadExpected(c.Expected); err != nil {
			return err
		}
	}
	count := counted{name: s.Name(), as: c.as()}
	orders := s.Orders()
	if other == nil && want == nil {
		fmt.Fprint(c.Stdout, s.Header())
	}
	for i, p := range orders {
		got, err := r.run(ctx, s, p)
		if ctx.Err() != nil {
			return nil
		}
		if other == nil && want == nil {
			fmt.Fprint(c.Stdout, got)
		}
		if err == nil && other != nil {
			var too string
			too, err = other.run(ctx, s, p)
			count.compare(too == got, got, too)
		}
		if err != nil {
			fmt.Fprintf(c.Stderr, "txmc: permutation %v: %v\n", p, err)
			count.refused++
			c.status = c.status.Worse(driver.Failed)
			continue
		}
		if want != nil {
			count.compare(want.Has(i, got), want.Of(i), got)
		}
	}
	if other == nil && want == nil {
		return nil
	}
	if want != nil && want.Permutations() != len(orders) {
		fmt.Fprintf(c.Stderr, "txmc: %s has %d permutations, and %d are expected\n", s.File, len(orders), want.Permutations())
		c.status = c.status.Worse(driver.Failed)
	}
	return c.summary(&count)
}

// ended is end of a runner that may be nil.
func (r *runner) ended() error {
	if r == nil {
		return nil
	}
	return r.end()
}

// as names what the permutations are compared with.
func (c *Command) as() string {
	if c.Expected != "" {
		return "expected"
	}
	return "on " + c.Server
}

// counted counts permutations that were compared.
type counted struct {
	name, as               string
	equal, differ, refused int
	differences            strings.Builder
}

func (n *counted) compare(equal bool, want, got string) {
	if equal {
		n.equal++
		return
	}
	n.differ++
	n.differences.WriteString(difference(want, got))
}

// summary is the line of a file, with what differs.
func (c *Command) summary(n *counted) error {
	word := "ok   "
	switch {
	case n.differ > 0:
		word, c.status = "FAIL ", c.status.Worse(driver.Violation)
	case n.refused > 0:
		word = "ERROR"
	}
	_, err := fmt.Fprintf(c.Stdout, "%s  %s  %d permutations as %s", word, n.name, n.equal, n.as)
	if n.differ > 0 {
		_, err = fmt.Fprintf(c.Stdout, ", %d differ", n.differ)
	}
	if n.refused > 0 {
		_, err = fmt.Fprintf(c.Stdout, ", %d could not be run", n.refused)
	}
	if err == nil {
		_, err = fmt.Fprintf(c.Stdout, "\n%s", n.differences.String())
	}
	return err
}
