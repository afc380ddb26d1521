package load

import (
	"context"
	"time"
)

// The warnings of package vet, which are looked for beside the build.

const (
	// warnPatience is how long the report of an exploration waits for warnings.
	warnPatience = 3 * time.Second
	// warnLimit is how long they may take at most.
	warnLimit = time.Minute
	// besideBuild is how long vet runs beside the build. If it takes longer, what
	// the package imports is not compiled yet, and both would compile it.
	besideBuild = 400 * time.Millisecond
)

// Warnings are findings that are looked for while the harness is built, so that
// they cost no time.
type Warnings struct {
	// Found and Err are what there is when Done is closed.
	Found []Finding
	Err   error

	done   chan struct{}
	built  chan struct{} // closed when the build has ended
	cancel context.CancelFunc
	late   bool
}

// Warn begins to look for what keeps the package from being explored.
func (p *Package) Warn(ctx context.Context) *Warnings {
	ctx, cancel := context.WithCancel(ctx)
	w := &Warnings{built: make(chan struct{}), done: make(chan struct{}), cancel: cancel}
	early := p.Beside()
	go func() {
		defer close(w.done)
		if w.look(ctx, early, besideBuild); w.Err == nil {
			return
		}
		select {
		case <-w.built:
			w.look(ctx, p, warnLimit)
		case <-ctx.Done():
		}
	}()
	return w
}

func (w *Warnings) look(ctx context.Context, p *Package, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	w.Found, w.Err = p.Vet(ctx)
}

// Warned returns warnings that are known.
func Warned(found []Finding, err error) *Warnings {
	w := &Warnings{Found: found, Err: err, done: make(chan struct{}), built: make(chan struct{}), cancel: func() {}}
	close(w.done)
	return w
}

// Built says that the build has ended. Nil warnings are none.
func (w *Warnings) Built() {
	if w != nil {
		close(w.built)
	}
}

// Done is closed when the search has ended.
func (w *Warnings) Done() <-chan struct{} { return w.done }

// Soon waits a little, once, and reports whether the search has ended, or ctx.
func (w *Warnings) Soon(ctx context.Context) bool {
	if w.late {
		select {
		case <-w.done:
			return true
		default:
			return false
		}
	}
	timer := time.NewTimer(warnPatience)
	defer timer.Stop()
	select {
	case <-w.done:
		return true
	case <-ctx.Done():
		return true
	case <-timer.C:
		w.late = true
		return false
	}
}

// Stop ends the search.
func (w *Warnings) Stop() {
	if w != nil {
		w.cancel()
		<-w.done
	}
}

// Duplicates are the names that functions of several packages have.
func Duplicates(list []*Package) map[string]bool {
	seen, twice := map[string]bool{}, map[string]bool{}
	for _, p := range list {
		for _, f := range p.Functions {
			twice[f.Name] = twice[f.Name] || seen[f.Name]
			seen[f.Name] = true
		}
	}
	return twice
}
