package generate

import "github.com/txmc/txmc/explore/find/access"

// What programs use that make calls again.

// againImports imports what the helper needs.
func (f *File) againImports() {
	if f.dialect == access.MySQL {
		f.name("strings", "strings")
		return
	}
	f.name("errors", "errors")
}

// againHelper asks an error whether the call may succeed when it is made again. The driver of
// MySQL is no package that the application must import: the error's text has the number.
func (f *File) againHelper() string {
	if f.dialect == access.MySQL {
		return `
// again reports whether the database says that the transaction may succeed when it is run again.
func again(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "Error 1213") || strings.Contains(err.Error(), "Error 1020"))
}
`
	}
	return `
// again reports whether the database says that the transaction may succeed when it is run again.
func again(err error) bool {
	var e interface{ SQLState() string }
	return errors.As(err, &e) && (e.SQLState() == "40001" || e.SQLState() == "40P01")
}
`
}
