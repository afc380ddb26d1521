//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// nobody waits until no process is left that the script has started: they have its directory for temporary files.
func nobody(ts *testscript.TestScript, _ bool, _ []string) {
	for len(inherit("TMPDIR="+ts.Getenv("TMPDIR"))) > 0 { // one that stays is shown by the time limit of go test
		time.Sleep(5 * time.Millisecond)
	}
}

// inherit are the processes with a variable in their environment.
func inherit(variable string) (list []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		for v := range bytes.SplitSeq(env, []byte{0}) {
			if string(v) == variable && err == nil && alive(pid) {
				list = append(list, pid)
			}
		}
	}
	return list
}

// abandoned FILE COMMAND... kills a command when the file is there, and waits until nothing that it has started is left.
func abandoned(ts *testscript.TestScript, _ bool, args []string) {
	p := start(ts, args[1:])
	for {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			break
		}
		select {
		case <-p.ended:
			ts.Fatalf("ended before %s was there: %s", args[0], p.err.bytes())
		case <-time.After(5 * time.Millisecond):
		}
	}
	ts.Check(p.cmd.Process.Kill())
	<-p.ended
	nobody(ts, false, nil)
	ts.Check(os.RemoveAll(ts.Getenv("TMPDIR"))) // nobody was left to do it
	ts.Check(os.Mkdir(ts.Getenv("TMPDIR"), 0o777))
}
