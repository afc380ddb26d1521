// Package load turns the Explore functions of a user's packages into a running
// harness: it finds them with go/packages, generates a main function, builds it
// inside the user's module and runs it.
//
// Nothing is written into the user's tree. The generated file exists only in an overlay
// (go help build, -overlay). The go command sees it below the package's directory. So
// internal packages, workspaces, replaced modules and vendor directories work as they
// do for the package itself. Functions of a package main, and of _test.go files, cannot
// be imported: the generated file is then a _test.go file with a TestMain, built by "go
// test -c".
package load
