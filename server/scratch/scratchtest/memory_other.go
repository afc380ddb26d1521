//go:build !linux

package scratchtest

// inMemory does nothing: there is no file system in memory that is known to be there.
func inMemory() {}
