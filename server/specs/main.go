// Package specs runs the files of PostgreSQL's isolationtester as a command does: permutation after
// permutation, under the model or on a server, or all orders of a file without permutations.
package specs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/explore/spec"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/server/proxy"
)

// Nothing has to be built for a file: the command is the harness too, in a process of its own.

// Variable is the variable of the environment that names the file of a harness: see [Main].
const Variable = "TXMC_SPEC"

// Main is the main function of such a harness. It returns where the process is none.
func Main() {
	name := os.Getenv(Variable)
	if name == "" {
		return
	}
	os.Unsetenv(Variable)
	s, _, err := spec.Read(name)
	if err != nil {
		fmt.Fprintln(os.Stderr, "txmc:", err)
		os.Exit(2)
	}
	harness.MainOn(proxy.New, harness.Program{Name: s.Name(), Explore: s.Explore})
}

// Packages are files as packages whose harness is there: without permutations, their orders are explored. Those whose
// names the expression run does not match are left out.
func Packages(files []string, run string) (list []*load.Package, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	wanted, err := regexp.Compile(run)
	if err != nil {
		return nil, &load.RunError{Pattern: run, Err: err}
	}
	var names []string
	for _, file := range files {
		s, _, err := spec.Read(file)
		if err != nil {
			return nil, err
		}
		if names = append(names, s.Name()); !wanted.MatchString(s.Name()) {
			continue
		}
		path, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		h := load.Harness{Binary: self, Dir: filepath.Dir(path), Env: []string{Variable + "=" + path}}
		list = append(list, load.Made(filepath.Base(path), s.Name(), fmt.Sprintf("%s:%d", file, s.Sessions[0].Line), h))
	}
	if len(list) == 0 {
		return nil, &load.RunError{Pattern: run, Names: names}
	}
	return list, nil
}
