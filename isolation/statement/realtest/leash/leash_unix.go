//go:build unix

// Package leash ends throw-away servers that a process has started, also when the
// process cannot: a panic in a test, or its timeout, runs no cleanup.
package leash

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// Leash is a process that waits for the end of this one.
type Leash struct {
	guard *exec.Cmd
	pipe  io.WriteCloser
}

// guard reads from a pipe whose other end this process has. When this process ends, in
// whatever way, the pipe ends: then guard kills the server and removes its directory.
const guard = `read -r line
[ "$line" = done ] && exit
kill -"$1" "$2" 2>/dev/null
while kill -0 "$2" 2>/dev/null; do sleep 0.1; done
rm -rf -- "$3"`

// New keeps a server on a leash: when this process ends before Release, the server gets
// the signal, and its directory is removed when it has ended.
func New(server *os.Process, signal syscall.Signal, dir string) (*Leash, error) {
	l := &Leash{guard: exec.Command("/bin/sh", "-c", guard, "leash", strconv.Itoa(int(signal)), strconv.Itoa(server.Pid), dir)}
	l.guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what interrupts this process does not end it
	var err error
	if l.pipe, err = l.guard.StdinPipe(); err != nil {
		return nil, err
	}
	return l, l.guard.Start()
}

// Release gives the leash up. Call it before the server is waited for, as another process
// may get its number then.
func (l *Leash) Release() {
	io.WriteString(l.pipe, "done\n")
	l.pipe.Close()
	l.guard.Wait()
}
