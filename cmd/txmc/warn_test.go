package main

import (
	"bytes"
	"errors"
	"testing"
)

// That a package cannot be vetted keeps nobody from exploring it, and is told to
// those only who ask.
func TestVetFails(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		var said bytes.Buffer
		e := &explorer{options: &explore{Vet: vetWarn}, sig: catchSignals(), stderr: &said, out: &output{options: &explore{}}}
		e.options.Verbose = verbose
		w := &warnings{done: make(chan struct{}), cancel: func() {}, err: errors.New("cannot")}
		close(w.done)
		if err := e.show(w); err != nil || e.status != statusOK {
			t.Errorf("%v, status %d", err, e.status)
		}
		if verbose != (said.String() == "txmc: vet is left out: cannot\n") || !verbose && said.Len() > 0 {
			t.Errorf("verbose %v: %q", verbose, said.String())
		}
		e.sig.stop()
	}
}

// Nor does one that an interrupt ends.
func TestVetInterrupted(t *testing.T) {
	var said bytes.Buffer
	e := &explorer{options: &explore{Vet: vetWarn}, sig: catchSignals(), stderr: &said, out: &output{options: &explore{}}}
	w := &warnings{done: make(chan struct{}), cancel: func() {}}
	e.sig.stop() // ends the context
	<-e.sig.soft.Done()
	if err := e.show(w); err != nil || said.Len() > 0 {
		t.Errorf("%v, %q", err, said.String())
	}
}
