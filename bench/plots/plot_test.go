package main

import (
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestWrite: every plot is there in both formats, well-formed, also without any
// run that ended.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	err := write(dir,
		[]cactus{
			{name: "time", title: "Time", unit: "seconds", curves: []curve{{name: "CC", values: []float64{3, 1, 0}}, {name: "DFS(CC)"}}},
			{name: "none", title: "Nothing", unit: "seconds", curves: []curve{{name: "CC"}}},
			{name: "same", title: "One value", unit: "seconds", curves: []curve{{name: "CC", values: []float64{10, 10}}}},
		},
		[]scaling{{name: "sessions", axis: "sessions", sizes: []size{
			{size: 1, runs: 5, seconds: 0.001, megabytes: 8}, {size: 2, runs: 5, timeouts: 2, seconds: 30, megabytes: 20}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cactus-time", "cactus-none", "cactus-same", "sessions-time", "sessions-memory"} {
		file, err := os.Open(filepath.Join(dir, name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := png.Decode(file); err != nil {
			t.Errorf("%s.png: %v", name, err)
		}
		svg, err := os.Open(filepath.Join(dir, name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		defer svg.Close()
		for d := xml.NewDecoder(svg); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s.svg: %v", name, err)
				break
			}
		}
	}
}

func TestWriteSaysWhatFails(t *testing.T) {
	if err := write(filepath.Join(t.TempDir(), "none"), []cactus{{name: "x"}}, nil); err == nil {
		t.Error("no error")
	}
}
