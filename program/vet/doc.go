// Package vet finds, without running anything, what keeps client programs from being
// explored. Such are sessions that do not repeat themselves, that wait for each other
// outside of the database, or that never end.
//
// It looks at the SSA form (golang.org/x/tools/go/ssa) of one package at a time, at all
// code that Explore functions reach. What the inspection of an imported package has
// found comes as [Facts]. The standard library and other modules are not inspected. Some
// functions of the standard library matter: they are known by name.
//
// It would rather miss something than raise a false alarm: what slips through is
// caught at run time, when sessions are run again to see that they repeat.
//
// [Inspect] does all the work. [Analyzers] wraps it for go/analysis, with one
// analyzer a check, so that "go vet -vettool" can run them.
package vet
