package vet

import "slices"

// Facts are what callers in other packages have to know of a package.
type Facts struct {
	Functions []Function // those of which there is something to know, by name
}

// AFact marks Facts as facts of go/analysis.
func (*Facts) AFact() {}

// String makes facts readable in tests.
func (f *Facts) String() string { return "txmc facts" }

// Function is what callers have to know of a function.
type Function struct {
	Name     string   // types.Func.FullName
	Operates bool     // it performs operations on variables or declares something
	Begins   bool     // it runs transactions
	Drops    bool     // it returns the error of a transaction
	Order    string   // where it takes its results from a map's order; "" when it does not
	Writes   []int    // the parameters, the receiver first, through which it writes
	Sources  []Source // what exploration cannot repeat, at most one of each check
}

// Source is something that exploration cannot repeat, deep inside a call.
type Source struct {
	Check string
	Problem
	At string // package/file.go:line
}

// find returns what is known of a function, or nil.
func (f *Facts) find(name string) *Function {
	if f == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(f.Functions, name, func(fn Function, name string) int {
		switch {
		case fn.Name < name:
			return -1
		case fn.Name > name:
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return &f.Functions[i]
}
