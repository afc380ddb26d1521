//go:build unix

package load

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup starts cmd in a process group of its own: a Ctrl-C at the terminal
// goes to the command only, which hands it on.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup signals a process and those that it started.
func signalGroup(p *os.Process, sig os.Signal) error {
	s, ok := sig.(syscall.Signal)
	if !ok {
		return p.Signal(sig)
	}
	return syscall.Kill(-p.Pid, s)
}
