package vet

import (
	"encoding/json"
	"os"
	"strings"
)

// Standard handles a description that asks for the facts of a package. If that package is
// of the standard library, it answers that there are no facts, and reports true.
// Type-checking the standard library to find none takes longer than all the rest.
func Standard(description string) bool {
	data, err := os.ReadFile(description)
	if err != nil {
		return false
	}
	var unit struct {
		ImportPath, ModulePath string
		Module                 *struct{}
		VetxOnly               bool
		VetxOutput             string
	}
	if json.Unmarshal(data, &unit) != nil || !unit.VetxOnly || unit.ModulePath != "" || unit.Module != nil {
		return false
	}
	first, _, _ := strings.Cut(unit.ImportPath, "/")
	return !strings.Contains(first, ".") && os.WriteFile(unit.VetxOutput, nil, 0o666) == nil
}
