// Package overlay makes Go code repeat itself without being changed. It gives the go
// command other sources for a few files of the standard library and the runtime (go
// help build, -overlay). They are made from those of the installed Go by small edits.
// While the run of a session goes on, these depend on the session and on how far its
// run has come, and on nothing else: the clock, timers, random numbers, the order of
// maps, and the choice of select. Goroutines outside of runs have all this as usual.
//
// What a goroutine has of a run is kept in the runtime's own description of the
// goroutine, and goes over to goroutines that it starts. The checker reaches it
// through package repeat.
//
// An edit names text that must be in the file exactly once. Where it is not, this
// Go is not known here, and there is no overlay: all of it works or none.
package overlay
