// Package requeststest finds what examples of applications need, for tests.
package requeststest

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// variable names the interpreter in the files of examples.
const variable = "PYTHON"

// python is an interpreter that has psycopg2, "" for none: that of the system, or the first in PATH.
var python = sync.OnceValue(func() string {
	for _, name := range []string{os.Getenv(variable), "python3", "/usr/bin/python3"} {
		if name != "" && exec.Command(name, "-c", "import psycopg2").Run() == nil {
			return name
		}
	}
	return ""
})

// Python is the interpreter of the examples in Python, for the variable PYTHON. The test is skipped where there is none.
func Python(t testing.TB) string {
	t.Helper()
	if !HasPython() {
		t.Skip("python3 with psycopg2 is missing")
	}
	return python()
}

// HasPython reports whether the examples in Python can run.
func HasPython() bool { return python() != "" }

// Interpreter is the interpreter that they need.
func Interpreter() string { return python() }

// nodePath is where Node finds its package pg, "" for none: where the environment says, or where Debian has it.
var nodePath = sync.OnceValue(func() string {
	for _, path := range []string{os.Getenv("NODE_PATH"), "/usr/share/nodejs"} {
		cmd := exec.Command("node", "-e", "require('pg')")
		cmd.Env = append(os.Environ(), "NODE_PATH="+path)
		if path != "" && cmd.Run() == nil {
			return path
		}
	}
	return ""
})

// HasNode reports whether the examples in Node can run.
func HasNode() bool { return nodePath() != "" }

// needs are what shows that examples in a language can run.
var needs = map[string][]string{
	"php":  {"php", "-r", `exit(extension_loaded("pdo_pgsql") ? 0 : 1);`},
	"ruby": {"ruby", "-e", `require "pg"; require "webrick"`},
	"java": {"sh", "-c", `javac -version && test -f "${JDBC:-/usr/share/java/postgresql.jar}"`},
}

// Has reports whether the examples in a language can run: php, ruby or java.
func Has(language string) bool {
	command := needs[language]
	return exec.Command(command[0], command[1:]...).Run() == nil
}

// HasModule reports whether a language's interpreter, python or ruby, has a module.
func HasModule(language, module string) bool {
	if language == "ruby" {
		return exec.Command("ruby", "-e", "require '"+module+"'").Run() == nil
	}
	return HasPython() && exec.Command(python(), "-c", "import "+module).Run() == nil
}

// NodePath is where they find their packages.
func NodePath() string { return nodePath() }

// Uses reports whether a text names examples in Python.
func Uses(text string) bool { return strings.Contains(text, "testdata/requests/python") }
