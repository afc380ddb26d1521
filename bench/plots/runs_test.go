package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// runs is what txmc bench writes; its own test compares the file with it.
const runs = "../testdata/runs.csv"

// TestSeries: what the plots show of a file.
func TestSeries(t *testing.T) {
	file, err := os.Open(runs)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	list, err := readRuns(file)
	if err != nil {
		t.Fatal(err)
	}
	wantCactus := []cactus{
		{name: "time", title: "Time", unit: "seconds", curves: []curve{{"CC", []float64{0.5, 0.25}}, {"DFS(CC)", []float64{2}}}},
		{name: "memory", title: "Peak memory", unit: "MB", curves: []curve{{"CC", []float64{2, 1}}, {"DFS(CC)", []float64{3}}}},
		{name: "end-states", title: "End states", unit: "end states", curves: []curve{{"CC", []float64{4, 3}}, {"DFS(CC)", []float64{40}}}},
	}
	if got := cactusPlots(list); !reflect.DeepEqual(got, wantCactus) {
		t.Errorf("got %v, want %v", got, wantCactus)
	}
	wantScaling := []scaling{
		{name: "sessions", axis: "sessions of 3 transactions", sizes: []size{
			{size: 1, runs: 1, seconds: 0.001, megabytes: 1}, {size: 2, runs: 2, timeouts: 1, seconds: 3, megabytes: 5}}},
		{name: "transactions", axis: "transactions in each of 3 sessions", sizes: []size{{size: 4, runs: 1, seconds: 7, megabytes: 8}}},
	}
	if got := scalingPlots(list); !reflect.DeepEqual(got, wantScaling) {
		t.Errorf("got %v, want %v", got, wantScaling)
	}
}

// TestRun: the command draws what it reads, from a file or the standard input.
func TestRun(t *testing.T) {
	data, err := os.ReadFile(runs)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{runs}, nil} {
		dir := filepath.Join(t.TempDir(), "new", "plots")
		if err := run(append([]string{"-o", dir}, args...), bytes.NewReader(data), &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"cactus-time", "cactus-memory", "cactus-end-states", "sessions-time", "transactions-memory"} {
			for _, ext := range []string{".svg", ".png"} {
				if info, err := os.Stat(filepath.Join(dir, name+ext)); err != nil || info.Size() == 0 {
					t.Errorf("plot %s%s: %v", name, ext, err)
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	head := "experiment,algorithm,sessions,transactions,end_states,seconds,peak_bytes,timeout\n"
	for text, want := range map[string]string{
		"":                             "there is nothing to read",
		"a,b\n1,2\n":                   "line 2: there is no column experiment",
		head + "a,b\n":                 "wrong number of fields",
		head + "a,b,1,1,1,x,1,false\n": `line 2: column seconds: "x"`,
		head + "a,b,1,1,1,1,1,false\na,b,1,1,1,1,1,perhaps\n": `line 3: column timeout: "perhaps"`,
	} {
		err := run([]string{"-o", t.TempDir()}, strings.NewReader(text), &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "standard input: ") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, args := range [][]string{nil, {"-o", "x", "a", "b"}, {"-x"}} {
		var said bytes.Buffer
		if err := run(args, strings.NewReader(""), &said); err == nil || !strings.Contains(said.String(), "usage:") {
			t.Errorf("%v: %v, %s", args, err, &said)
		}
	}
	if err := run([]string{"-o", t.TempDir(), "none.csv"}, nil, &bytes.Buffer{}); err == nil {
		t.Error("a missing file is no error")
	}
}
