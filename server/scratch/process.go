//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package scratch

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// PostgreSQL has a process for each connection. So what is done to a server is done to its
// process and to all children of that process.

// children lists the processes that a process has started.
func children(pid int) (list []int) {
	out, err := exec.Command("ps", "-axo", "pid=,ppid=").Output()
	if err != nil {
		return childrenByProc(pid)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) == 2 && f[1] == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(f[0])
			list = append(list, child)
		}
	}
	return list
}

// childrenByProc does so where there is no ps.
func childrenByProc(pid int) (list []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		_, rest, _ := bytes.Cut(stat, []byte(") ")) // behind the name
		if f := strings.Fields(string(rest)); len(f) > 1 && f[1] == strconv.Itoa(pid) {
			list = append(list, child)
		}
	}
	return list
}

// commandLine is that of a process, "" when it has ended.
func commandLine(pid int) string {
	if text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); err == nil {
		return string(text)
	}
	out, _ := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return string(out)
}

// hasEnded reports whether a process is gone, or has given back its memory and only waits for
// somebody to ask how it ended.
func hasEnded(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err == nil {
		_, rest, _ := bytes.Cut(stat, []byte(") "))
		return len(rest) > 0 && (rest[0] == 'Z' || rest[0] == 'X')
	}
	out, _ := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return len(out) == 0 || out[0] == 'Z'
}

// signalTree sends a signal to a process and its children. The process comes first, so
// that it starts no more.
func signalTree(pid int, sig syscall.Signal) ([]int, error) {
	below := children(pid)
	err := syscall.Kill(pid, sig)
	for _, child := range below {
		if e := syscall.Kill(child, sig); e != nil && !errors.Is(e, syscall.ESRCH) {
			err = errors.Join(err, e)
		}
	}
	return below, err
}

// killTree ends a process and its children, and waits until the children are gone. The
// process stops first, so that it starts no more.
func killTree(pid int) {
	syscall.Kill(pid, syscall.SIGSTOP)
	below, _ := signalTree(pid, syscall.SIGKILL)
	for range 500 {
		alive := false
		for _, child := range below {
			alive = alive || !hasEnded(child)
		}
		if !alive {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func stopTree(pid int) error {
	_, err := signalTree(pid, syscall.SIGSTOP)
	return err
}

func continueTree(pid int) error {
	_, err := signalTree(pid, syscall.SIGCONT)
	return err
}
