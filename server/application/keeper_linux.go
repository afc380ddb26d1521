package application

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// apart gives the keeper a group of its own: an interrupt of the terminal is for the process that has started it.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// adopt makes processes whose parent ends children of this one: so none gets lost (prctl(2), PR_SET_CHILD_SUBREAPER).
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// endDescendants kills all processes below this one, until there are none.
func endDescendants() {
	for range 500 {
		alive := 0
		for _, pid := range below(os.Getpid()) {
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				alive++
			}
		}
		for { // those that this process has adopted
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if pid <= 0 || err != nil {
				break
			}
		}
		if alive == 0 {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// below are the processes that a process has started, and those that they have, but for the ended ones.
func below(root int) (list []int) {
	children := map[int][]int{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		_, rest, _ := bytes.Cut(stat, []byte(") ")) // behind the name
		if f := bytes.Fields(rest); len(f) > 1 && f[0][0] != 'Z' {
			parent, _ := strconv.Atoi(string(f[1]))
			children[parent] = append(children[parent], pid)
		}
	}
	for next := children[root]; len(next) > 0; {
		list = append(list, next...)
		var after []int
		for _, pid := range next {
			after = append(after, children[pid]...)
		}
		next = after
	}
	return list
}
