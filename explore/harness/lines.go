package harness

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// Shown is how many lines of what a program prints are shown without --verbose. The code of a
// session runs once for each behaviour, and logs each time, also when its run is given up.
const Shown = 100

// First passes on the first lines of what a program prints, and counts the others. From the
// runtime's words on, when it ends the process, it passes on all.
type First struct {
	To   io.Writer
	Most int // lines; 0: all

	lines int    // that have begun and ended
	out   int    // of them, left out
	start []byte // of the line that goes on
	dump  bool   // the process ends
}

// deaths begin lines of the runtime that tell of the end of a process.
var deaths = [][]byte{[]byte("panic: "), []byte("fatal error: "), []byte("runtime: "), []byte("SIGSEGV: "), []byte("SIGBUS: "), []byte("SIGQUIT: "), []byte("SIGABRT: "), []byte("unexpected fault address "), []byte("WARNING: DATA RACE")}

// own begins what txmc says in the process.
var own = []byte("txmc: ")

// Write takes any part of the text.
func (f *First) Write(data []byte) (int, error) {
	if f.Most == 0 {
		return f.To.Write(data)
	}
	n := len(data)
	var show []byte
	for len(data) > 0 {
		part := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			part = data[:i+1]
		}
		data = data[len(part):]
		show = append(show, f.shown(part)...)
	}
	if len(show) == 0 {
		return n, nil
	}
	if _, err := f.To.Write(show); err != nil {
		return 0, err
	}
	return n, nil
}

// shown is what is to be shown now that a part of a line has come.
func (f *First) shown(part []byte) []byte {
	const enough = 64 // to know how a line begins
	f.start = append(f.start, part...)
	begins := func(with []byte) bool { return bytes.HasPrefix(f.start, with) }
	ended := part[len(part)-1] == '\n'
	died := !f.dump && slices.ContainsFunc(deaths, begins)
	switch {
	case f.dump || f.lines-f.out < f.Most:
		f.dump = f.dump || died
	case died:
		f.dump, part = true, slices.Clone(f.start)
	case ended && begins(own):
		part = slices.Clone(f.start)
		f.lines-- // it is not the program's
	case ended:
		f.out++
		part = nil
	default:
		part = nil
		if !begins(own) {
			f.start = f.start[:min(len(f.start), enough)]
		}
	}
	if len(part) > 0 {
		f.start = f.start[:min(len(f.start), enough)]
	}
	if ended {
		f.lines++
		f.start = f.start[:0]
	}
	return part
}

// Close says how much was left out.
func (f *First) Close() error {
	if len(f.start) > 0 && !f.dump && f.lines-f.out >= f.Most && f.Most > 0 {
		f.out++
	}
	if f.out == 0 {
		return nil
	}
	lines := "lines"
	if f.out == 1 {
		lines = "line"
	}
	_, err := fmt.Fprintf(f.To, "txmc: %d more %s that the program has printed are left out; --verbose shows all\n", f.out, lines)
	return err
}
