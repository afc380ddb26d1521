package plots_test

import (
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/txmc/txmc/bench/plots"
)

// TestWrite: every plot is there in both formats, well-formed, also without any
// run that ended.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	err := plots.Write(dir,
		[]plots.Cactus{
			{Name: "time", Title: "Time", Unit: "seconds", Curves: []plots.Curve{{Name: "CC", Values: []float64{3, 1, 0}}, {Name: "DFS(CC)"}}},
			{Name: "none", Title: "Nothing", Unit: "seconds", Curves: []plots.Curve{{Name: "CC"}}},
			{Name: "same", Title: "One value", Unit: "seconds", Curves: []plots.Curve{{Name: "CC", Values: []float64{10, 10}}}},
		},
		[]plots.Scaling{{Name: "sessions", Axis: "sessions", Sizes: []plots.Size{
			{Size: 1, Runs: 5, Seconds: 0.001, Megabytes: 8}, {Size: 2, Runs: 5, Timeouts: 2, Seconds: 30, Megabytes: 20}}}})
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
	if err := plots.Write(filepath.Join(t.TempDir(), "none"), []plots.Cactus{{Name: "x"}}, nil); err == nil {
		t.Error("no error")
	}
}
