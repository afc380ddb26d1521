//go:build unix && !linux

package application

import (
	"os"
	"os/exec"
	"syscall"
)

// apart does nothing: the keeper leads a group when it begins.
func apart(*exec.Cmd) {}

// adopt makes the keeper the leader of a group, to which what it starts belongs.
func adopt() { _ = syscall.Setpgid(0, 0) }

// endDescendants kills the group, and so this process.
func endDescendants() { _ = syscall.Kill(-os.Getpid(), syscall.SIGKILL) }
