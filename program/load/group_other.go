//go:build !unix

package load

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func signalGroup(p *os.Process, sig os.Signal) error {
	if sig == os.Interrupt {
		sig = os.Kill // the only one that every system knows
	}
	return p.Signal(sig)
}
