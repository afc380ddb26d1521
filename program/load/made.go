package load

// Made is a package that the go command does not know, whose harness is there: it has one program, which is at that line.
func Made(path, program, at string, h Harness) *Package {
	return &Package{Path: path, Name: program, Dir: h.Dir, Functions: []Function{{program, at}}, unbuilt: unbuilt{given: &h}}
}

// IsMade reports whether the package is one.
func (p *Package) IsMade() bool { return p.given != nil }
