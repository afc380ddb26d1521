package checker

import "context"

// pulse tells a long loop, now and then, that it is to end.
type pulse struct {
	ctx   context.Context
	beats int
}

// over reports whether the context has ended; it looks at one call in 1024.
func (p *pulse) over() bool {
	p.beats++
	return p.beats%1024 == 0 && p.ctx.Err() != nil
}
