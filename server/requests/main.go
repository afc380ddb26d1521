package requests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/server/proxy"
)

// Nothing has to be built for a file of requests: the command is the harness too, in a process of its own.

// Variable is the variable of the environment that names the file of a harness: see [Main].
const Variable = "TXMC_REQUESTS"

// Main is the main function of such a harness. It returns where the process is none.
func Main() {
	name := os.Getenv(Variable)
	if name == "" {
		return
	}
	os.Unsetenv(Variable)
	f, err := Read(name)
	var programs []harness.Program
	if err == nil {
		programs, err = programsOf(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "txmc:", err)
		os.Exit(2)
	}
	harness.MainOn(proxy.New, programs...)
}

// Packages are the files of requests as packages whose harness is there. Those whose names the expression run does not match
// are left out.
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
	for _, name := range files {
		if !Is(name) {
			return nil, fmt.Errorf("%s is no file of requests, and %s is one: name files of one kind", name, files[0])
		}
		f, err := Read(name)
		if err != nil {
			return nil, err
		}
		if len(f.Sessions) == 0 {
			return nil, &Error{name, f.Line, 1, "there are no sessions, and txmc explore explores these: txmc find explores the pairs of requests"}
		}
		if names = append(names, f.Program()); !wanted.MatchString(f.Program()) {
			continue
		}
		h := load.Harness{Binary: self, Dir: filepath.Dir(f.Name), Env: []string{Variable + "=" + f.Name}}
		list = append(list, load.Made(filepath.Base(f.Name), f.Program(), fmt.Sprintf("%s:%d", name, f.Line), h))
	}
	if len(list) == 0 {
		return nil, &load.RunError{Pattern: run, Names: names}
	}
	return list, nil
}
