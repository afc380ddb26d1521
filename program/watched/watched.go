// Package watched hands the addresses of package-level variables of client code to the
// harness that explores it. Such variables are not visible to other packages. So the
// txmc command generates a file beside them. The file registers them from an init
// function, before main runs, like drivers of database/sql.
package watched

import "sync"

// Variable is a package-level variable of client code.
type Variable struct {
	Name string // with the package's name, as in "shop.cache"
	File string // where it is used in a way that may change it
	Line int
	// Package is the import path.
	Package string
	// Once: it is set under a sync.Once only, so that its first change is its
	// initialisation.
	Once bool
	// Address is a pointer to the variable.
	Address any
	// Now returns a pointer to the value, of what another package keeps, such as
	// http.DefaultClient or log.Prefix(); nil of variables of the user's.
	Now func() any
}

var (
	mu         sync.Mutex
	registered []Variable
)

// Register adds variables. It is called from init functions.
func Register(list ...Variable) {
	mu.Lock()
	defer mu.Unlock()
	registered = append(registered, list...)
}

// Variables returns what was registered.
func Variables() []Variable {
	mu.Lock()
	defer mu.Unlock()
	return registered[:len(registered):len(registered)]
}
