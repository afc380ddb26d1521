package application

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// An application must not outlive the process that has started it, also when that is killed. So it has a keeper: a
// process of this program that starts it and ends it, with all that it has started, when the other end of a pipe
// is gone.

// Keeper is the variable of the environment that makes a process a keeper: see [Keep].
const Keeper = "TXMC_KEEPER"

// keptCommand is what a keeper starts.
type keptCommand struct {
	Command string   `json:"command"`
	Dir     string   `json:"dir"`
	Env     []string `json:"env"`
}

// keep starts a command below a keeper. To close what it returns ends both.
func keep(command, dir string, env []string, output io.Writer) (*exec.Cmd, io.Closer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(keptCommand{command, dir, env})
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), Keeper+"=1")
	cmd.Stdout, cmd.Stderr = output, output
	apart(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	_, err = in.Write(append(text, '\n'))
	return cmd, in, err
}

// Keep is the main function of a keeper. It returns where the process is none.
func Keep() {
	if os.Getenv(Keeper) == "" {
		return
	}
	os.Unsetenv(Keeper)
	status, err := keeper(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}

// keeper starts the command that it reads, and waits for its end or that of who has started it.
func keeper(from io.Reader) (status int, err error) {
	var c keptCommand
	d := json.NewDecoder(from)
	if err := d.Decode(&c); err != nil {
		return 2, err
	}
	adopt()
	cmd := exec.Command("/bin/sh", "-c", c.Command)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return 2, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	gone := make(chan struct{})
	go func() {
		io.Copy(io.Discard, io.MultiReader(d.Buffered(), from))
		close(gone)
	}()
	select {
	case <-ended:
		status = cmd.ProcessState.ExitCode()
	case <-gone:
		_ = cmd.Process.Kill() // it may have ended just now
	}
	endDescendants()
	return status, nil
}
