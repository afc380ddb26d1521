package main

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report/output"
)

// That a package cannot be vetted keeps nobody from exploring it, and is told to
// those only who ask.
func TestVetFails(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		var said bytes.Buffer
		e := &explorer{options: &exploreCmd{Vet: vetWarn}, sig: signals.Catch(), stderr: &said, out: output.New(output.Options{}, io.Discard)}
		e.options.Verbose = verbose
		if err := e.show(nil, load.Warned(nil, errors.New("cannot"))); err != nil || e.status != statusOK {
			t.Errorf("%v, status %d", err, e.status)
		}
		if verbose != (said.String() == "txmc: vet is left out: cannot\n") || !verbose && said.Len() > 0 {
			t.Errorf("verbose %v: %q", verbose, said.String())
		}
		e.sig.Stop()
	}
}

// Nor does one that an interrupt ends.
func TestVetInterrupted(t *testing.T) {
	var said bytes.Buffer
	e := &explorer{options: &exploreCmd{Vet: vetWarn}, sig: signals.Catch(), stderr: &said, out: output.New(output.Options{}, io.Discard)}
	e.sig.Stop() // ends the context
	<-e.sig.Soft.Done()
	if err := e.show(nil, &load.Warnings{}); err != nil || said.Len() > 0 {
		t.Errorf("%v, %q", err, said.String())
	}
}
