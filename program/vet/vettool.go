package vet

import (
	"os"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"
)

// Tool does what go vet -vettool asks for and exits, if the go command calls with these
// arguments. It calls with -V=full or -flags alone, or with the description of a
// package as the last argument.
func Tool(args []string) {
	if len(args) == 0 {
		return
	}
	last := args[len(args)-1]
	if len(args) == 1 && (last == "-V=full" || last == "-flags") || strings.HasSuffix(last, ".cfg") {
		if Standard(last) {
			os.Exit(0)
		}
		unitchecker.Main(Analyzers()...)
	}
}
