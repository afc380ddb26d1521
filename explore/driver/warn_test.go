package driver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report/output"
)

// That a package cannot be vetted keeps nobody from exploring it, and is told to
// those only who ask.
func TestVetFails(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		var said bytes.Buffer
		d := &Driver{Config: Config{Vet: VetWarn}, process: Process{Soft: t.Context()}, stderr: &said, Out: output.New(output.Options{}, io.Discard)}
		d.Verbose = verbose
		if err := d.show(nil, load.Warned(nil, errors.New("cannot"))); err != nil || d.status != OK {
			t.Errorf("%v, status %d", err, d.status)
		}
		if verbose != (said.String() == "txmc: vet is left out: cannot\n") || !verbose && said.Len() > 0 {
			t.Errorf("verbose %v: %q", verbose, said.String())
		}
	}
}

// Nor does one that an interrupt ends.
func TestVetInterrupted(t *testing.T) {
	var said bytes.Buffer
	soft, interrupt := context.WithCancel(t.Context())
	d := &Driver{Config: Config{Vet: VetWarn}, process: Process{Soft: soft}, stderr: &said, Out: output.New(output.Options{}, io.Discard)}
	interrupt()
	if err := d.show(nil, &load.Warnings{}); err != nil || said.Len() > 0 {
		t.Errorf("%v, %q", err, said.String())
	}
}

// 2 beats 1 beats 3 beats 0, whichever comes first.
func TestWorse(t *testing.T) {
	order := []Status{Failed, Violation, Incomplete, OK}
	for i, a := range order {
		for _, b := range order[i:] {
			if a.Worse(b) != a || b.Worse(a) != a {
				t.Errorf("worse of %d and %d: %d and %d, want %d", a, b, a.Worse(b), b.Worse(a), a)
			}
		}
	}
}
