package main

import (
	"context"
	"fmt"
	"time"

	"github.com/txmc/txmc/program/load"
)

// vetPatience is how long an exploration waits for its warnings.
const vetPatience = 3 * time.Second

// warnings are looked for while the harness starts, so that they cost no time.
type warnings struct {
	pkg    *load.Package
	done   chan struct{}
	cancel context.CancelFunc
	found  []load.Finding
	err    error
	shown  bool
}

// warn begins to look for what keeps p from being explored. The result is nil
// when that is not wanted.
func (e *explorer) warn(p *load.Package) *warnings {
	if e.options.Vet != vetWarn {
		return nil
	}
	ctx, cancel := context.WithCancel(e.sig.soft)
	w := &warnings{pkg: p, done: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(w.done)
		w.found, w.err = p.Vet(ctx)
	}()
	return w
}

// show prints the warnings, once, before anything else that is printed. They never
// keep a program from being explored: what goes wrong with them is not an error.
func (e *explorer) show(w *warnings) error {
	if w == nil || w.shown {
		return nil
	}
	w.shown = true
	late := time.NewTimer(vetPatience)
	defer late.Stop()
	select {
	case <-w.done:
	case <-e.sig.soft.Done():
		return nil
	case <-late.C:
		if e.options.Verbose {
			e.log("vet takes too long and is left out")
		}
		return nil
	}
	if w.err != nil && e.options.Verbose {
		e.log("vet is left out: %v", w.err)
	}
	for _, f := range w.found {
		if !e.out.json() {
			fmt.Fprint(e.stderr, "txmc: warning: ", paragraph(f))
			continue
		}
		if err := e.out.show(finding(w.pkg, f), nil); err != nil {
			return err
		}
	}
	return nil
}

// stop ends the search.
func (w *warnings) stop() {
	if w != nil {
		w.cancel()
		<-w.done
	}
}
