package load

import (
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// group is a package with its test variants.
type group struct {
	plain, internal, external *packages.Package
}

// variants groups what the go command lists, in its order. The generated mains
// of tests are left out.
func variants(listed []*packages.Package) []*group {
	var groups []*group
	byPath := map[string]*group{}
	of := func(path string) *group {
		g := byPath[path]
		if g == nil {
			g = &group{}
			byPath[path] = g
			groups = append(groups, g)
		}
		return g
	}
	for _, p := range listed {
		if p.ForTest == "" && !isTestMain(p) {
			of(p.PkgPath).plain = p
		}
	}
	for _, p := range listed {
		switch {
		case p.ForTest == "":
		case strings.HasSuffix(p.Name, "_test") && p.PkgPath == p.ForTest+"_test":
			of(p.ForTest).external = p
		case p.PkgPath == p.ForTest:
			of(p.ForTest).internal = p
		}
	}
	return groups
}

// isTestMain reports whether p is the main package that the go command makes for a test,
// and not a package whose path ends alike. The former lies in the go command's cache.
func isTestMain(p *packages.Package) bool {
	return p.Name == "main" && strings.HasSuffix(p.ID, ".test") && len(p.GoFiles) == 1 && filepath.Dir(p.GoFiles[0]) != p.Dir
}
