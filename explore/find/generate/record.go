package generate

import (
	"fmt"
	"path"
)

// record is the name of the package that keeps what calls send.
func (f *File) record() string { return f.name("github.com/txmc/txmc/explore/find/record", "record") }

// recorded is the option by which that is told; "" for programs that do not want it.
func (f *File) recorded(p *Program) string {
	if !p.Records {
		return ""
	}
	return fmt.Sprintf(", %s.Recorded(%s.To(%q))", path.Base(f.databasePackage()), f.record(), p.Name)
}

// begun says that a run begins; "" in programs that do not want it.
func (f *File) begun(p *Program) string {
	if !p.Records {
		return ""
	}
	return fmt.Sprintf("\t\t%s.Run(%q)\n", f.record(), p.Name)
}

// making says that what is called is made; "" in programs that do not want it.
func (f *File) making(p *Program) string {
	if !p.Records {
		return ""
	}
	return fmt.Sprintf("\t\t%s.Making(%q)\n", f.record(), p.Name)
}
