package main

import (
	"strings"

	"github.com/txmc/txmc/program/vet"
	"golang.org/x/tools/go/analysis/unitchecker"
)

// vettool does what go vet -vettool asks for and exits, if it is the go command
// that calls: with -V=full or -flags alone, or with the description of a package
// as the last argument.
func vettool(args []string) {
	if len(args) == 0 {
		return
	}
	last := args[len(args)-1]
	if len(args) == 1 && (last == "-V=full" || last == "-flags") || strings.HasSuffix(last, ".cfg") {
		unitchecker.Main(vet.Analyzers()...)
	}
}
