//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/txmc/txmc/report"
)

// killed N FILE COMMAND... kills the command N times, three times without -full. It kills each
// time when the command has written the checkpoint FILE once or a few times more. Then it lets
// the command go on from there, and at last to its end.
func killed(ts *testscript.TestScript, neg bool, args []string) {
	kills, err := strconv.Atoi(args[0])
	ts.Check(err)
	if full, err := condition("full"); !full {
		ts.Check(err)
		kills = min(kills, 3)
	}
	file, command := ts.MkAbs(args[1]), args[2:]
	litter := ts.MkAbs("killed-tmp") // what is killed cannot remove its temporary files
	ts.Check(os.MkdirAll(litter, 0o777))
	for done := range kills + 1 {
		now := append(slices.Clone(command), "--checkpoint="+file, "--checkpoint-every=1ms")
		if _, err := os.Stat(file); err == nil {
			now = append(now, "--resume="+file)
		}
		path, err := exec.LookPath(now[0])
		ts.Check(err)
		var said bytes.Buffer
		cmd := exec.Command(path, now[1:]...)
		cmd.Dir, cmd.Env, cmd.Stderr = ts.MkAbs("."), append(os.Environ(), "TMPDIR="+litter), &said
		for _, name := range []string{"HOME", "GOPROXY", "GOFLAGS", "GOENV", "GOPATH", "GOCACHE", "GOMODCACHE"} {
			cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
		}
		ts.Check(cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if done < kills && rewritten(file, 1+rand.N(3), ended) {
			cmd.Process.Kill()
		}
		if err := <-ended; err != nil && cmd.ProcessState.Exited() {
			ts.Fatalf("%v: %s", err, said.String())
		} else if err == nil && done < kills { // it was faster: from the beginning
			os.Remove(file)
		}
		if data, err := os.ReadFile(file); err == nil {
			ts.Logf("%d bytes of checkpoint", len(data))
		}
	}
}

// rewritten waits until a file was written so many times; false when the process ends
// before. What it ended with stays in ended.
func rewritten(file string, times int, ended chan error) bool {
	last, _ := os.Stat(file)
	for times > 0 {
		select {
		case err := <-ended:
			ended <- err
			return false
		case <-time.After(time.Millisecond):
		}
		if now, err := os.Stat(file); err == nil && (last == nil || !os.SameFile(last, now) || !now.ModTime().Equal(last.ModTime())) {
			last = now
			times--
		}
	}
	return true
}

// sameHistories A B checks that two reports have the same histories, each once, and
// the same results but for the time.
func sameHistories(ts *testscript.TestScript, neg bool, args []string) {
	a, b := histories(ts, args[0]), histories(ts, args[1])
	if diff := cmp.Diff(a, b); diff != "" {
		ts.Fatalf("%d lines in %s, %d in %s:\n%.2000s", len(a), args[0], len(b), args[1], diff)
	}
}

// histories lists the histories and results of a report, sorted; of several
// results of one exploration the last.
func histories(ts *testscript.TestScript, name string) []string {
	data, err := os.ReadFile(ts.MkAbs(name))
	ts.Check(err)
	var list []string
	results := map[string]string{}
	for line := range bytes.Lines(data) {
		if report.Type(line) == report.TypeHistory {
			list = append(list, string(line))
			continue
		}
		var r report.Result
		ts.Check(json.Unmarshal(line, &r))
		r.Seconds, r.PeakBytes = 0, 0
		text, err := json.Marshal(r)
		ts.Check(err)
		results[r.Program+r.Iso] = string(text)
	}
	for _, r := range results {
		list = append(list, r)
	}
	slices.Sort(list)
	return list
}
