package vet

import (
	"encoding/json"
	"os"
	"strings"
)

// Standard reports whether the description is of a package of the standard library
// whose facts are asked for, and answers that there are none: type-checking the
// standard library to find none takes longer than all the rest.
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
