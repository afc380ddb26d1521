//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package scratch

// giveBack does nothing where there is no way to ask whose a segment of shared memory is.
func giveBack(string) {}
