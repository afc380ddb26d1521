package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Harness is a built harness.
type Harness struct {
	// Binary is the program; Dir is the package's directory, where it runs, as
	// "go test" does.
	Binary, Dir string
	Env         []string // more variables
}

// Run runs the harness with the given variables added to the environment. What
// it prints goes to output; its lines, newline included, go to each, whose
// error ends it. When interrupt is closed the harness is asked to end; when ctx
// ends it is killed. The error is each's, or says how the process ended; nil
// means that it exited with status 0.
func (h *Harness) Run(ctx context.Context, interrupt <-chan struct{}, env []string, output io.Writer, each func(line []byte) error) error {
	return h.RunWith(ctx, interrupt, env, nil, output, each)
}

// RunWith is Run for a harness that is told more while it runs. The harness reads
// orders, unless that is nil, as its file descriptor 4.
func (h *Harness) RunWith(ctx context.Context, interrupt <-chan struct{}, env []string, orders *os.File, output io.Writer, each func(line []byte) error) error {
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("cannot make a pipe for the harness: %w", err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	cmd, err := whenWritten(ended, func() *exec.Cmd {
		cmd := exec.CommandContext(ctx, h.Binary)
		cmd.Dir, cmd.Env = h.Dir, append(os.Environ(), append(env, append(h.Env, "PWD="+h.Dir)...)...)
		cmd.Stdout, cmd.Stderr = output, output
		cmd.ExtraFiles = []*os.File{w}
		if orders != nil {
			cmd.ExtraFiles = append(cmd.ExtraFiles, orders)
		}
		ownGroup(cmd)
		cmd.Cancel = func() error { return signalGroup(cmd.Process, os.Kill) }
		cmd.WaitDelay = time.Second
		return cmd
	})
	w.Close()
	if err != nil {
		close(ended)
		return fmt.Errorf("cannot run the harness: %w (GOOS and GOARCH must be those of this machine)", err)
	}
	pipe := &patient{File: r, ended: ended}
	go func() {
		select {
		case <-interrupt:
			signalGroup(cmd.Process, os.Interrupt)
		case <-ended:
		}
	}()
	read := make(chan error, 1)
	go func() {
		err := lines(pipe, each)
		if err != nil {
			cancel()
		}
		read <- err
	}()
	err = cmd.Wait()
	close(ended)
	pipe.hurry()
	if failed := <-read; failed != nil {
		return failed
	}
	if errors.Is(err, exec.ErrWaitDelay) { // a process that client code has started may still print
		return nil
	}
	return err
}

// writtenWait is how long whenWritten waits, all in all twice as long.
const writtenWait = 5 * time.Second

// whenWritten starts a process of a program that this process may have written just now. A
// child that was started meanwhile has the file open for writing until it becomes another
// program; the system refuses to run the file as long (golang.org/issue/22315).
func whenWritten(ended <-chan struct{}, cmd func() *exec.Cmd) (*exec.Cmd, error) {
	for wait := time.Millisecond; ; wait *= 2 {
		c := cmd()
		err := start(c, ended)
		if !errors.Is(err, syscall.ETXTBSY) || wait > writtenWait {
			return c, err
		}
		time.Sleep(wait)
	}
}

// start starts a process that ends with this one. Where the system can do that, it ends also
// when this one is killed. The system ends it with the thread that has started it: the thread
// is kept until ended is closed.
func start(cmd *exec.Cmd, ended <-chan struct{}) error {
	endWithParent(cmd)
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			<-ended
		}
	}()
	return <-started
}

// patient reads the pipe of a process. When that has ended, a process that client
// code has started may still hold the pipe open: then it waits a little for what
// is left.
type patient struct {
	*os.File
	ended chan struct{}
}

// Read reads what there is. How long the lines' consumer takes does not count.
func (p *patient) Read(b []byte) (int, error) {
	select {
	case <-p.ended:
		p.hurry()
	default:
	}
	return p.File.Read(b)
}

func (p *patient) hurry() { p.SetReadDeadline(time.Now().Add(time.Second)) }

// lines calls each with every line of r until its end.
func lines(r io.Reader, each func([]byte) error) error {
	b := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := b.ReadBytes('\n')
		if err != nil {
			return nil // the end, or the rest of a line that was cut short
		}
		if err := each(line); err != nil {
			return err
		}
	}
}
