// Package report makes what an exploration finds readable. It writes JSON, whose schema
// the structs of this package are, and text made from those structs.
//
// The schema carries names only: keys, values, session names and source lines,
// no index or number that depends on the order of the exploration. The same
// history is the same JSON in every run and at every level.
//
// The package depends on the standard library and on the packages below it, so
// that every program that can be built can also be explored.
package report
