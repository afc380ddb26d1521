package load

import (
	"os/exec"
	"syscall"
)

// endWithParent lets the process be killed when the thread that starts it ends.
func endWithParent(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }
