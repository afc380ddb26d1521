// Package explore is the one use case of exploration: programs at levels, to
// events. A [Run] has the [Options], which are declared here once, and hands what it
// finds to a [Sink]: listings, violations, results, tallies, comparisons.
//
// Package harness runs it in a process of its own, package gotest inside go test.
// The package depends on the standard library and on the packages that client
// programs are made of: it can be built wherever those can.
package explore
