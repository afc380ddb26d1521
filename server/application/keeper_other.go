//go:build !unix

package application

import "os/exec"

// Other systems end the shell that a keeper has started, and not what that has started.

func apart(*exec.Cmd) {}
func adopt()          {}
func endDescendants() {}
