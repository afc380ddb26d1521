package main

import (
	"context"
	"fmt"
	"time"

	"github.com/txmc/txmc/program/load"
)

const (
	// vetPatience is how long an exploration waits for its warnings.
	vetPatience = 3 * time.Second
	// vetBeside is how long vet runs beside the build. If it takes longer, what
	// the package imports is not compiled yet, and both would compile it.
	vetBeside = 400 * time.Millisecond
)

// warnings are looked for while the harness is built, so that they cost no time.
type warnings struct {
	pkg    *load.Package
	built  chan struct{} // closed when the build has ended
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
	w := &warnings{pkg: p, built: make(chan struct{}), done: make(chan struct{}), cancel: cancel}
	early := p.Beside()
	go func() {
		defer close(w.done)
		if w.look(ctx, early, vetBeside); w.err == nil {
			return
		}
		select {
		case <-w.built:
			w.look(ctx, p, vetPatience)
		case <-ctx.Done():
		}
	}()
	return w
}

func (w *warnings) look(ctx context.Context, p *load.Package, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	w.found, w.err = p.Vet(ctx)
}

// hasBuilt says that the build has ended.
func (w *warnings) hasBuilt() {
	if w != nil {
		close(w.built)
	}
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
