//go:build unix

package harness

import "syscall"

// keepToSelf keeps a descriptor from the processes that client code starts: they
// would hold the pipe open.
func keepToSelf(fd int) { syscall.CloseOnExec(fd) }
