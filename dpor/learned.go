package dpor

import (
	"github.com/txmc/txmc/dpor/serial"
	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/isolation"
)

// What random histories tell of accesses is learned once for each level, as client code is run
// once for each behaviour: it is kept with the client. The random histories are the same each
// time. So two explorations make the same calls when one learns and the other finds what is kept.

// learnedAt is the key of the passes that are kept with a client, which have not begun.
type learnedAt isolation.Level

// keeps reports whether what is learned is that of every exploration at the level. With symmetry or a bound,
// or while rows become known, random histories find out more than accesses.
func (x *Exploration) keeps() bool {
	o := &x.opts
	return x.symmetric.now == nil && o.Bound == nil && !o.learnNothing && !x.prog.Grows()
}

// learned returns passes that begin with what an exploration before has learned, or nil.
func (x *Exploration) learned() *serial.Exploration {
	if !x.keeps() {
		return nil
	}
	if p, ok := x.prog.Kept(learnedAt(x.opts.Level)).(*serial.Exploration); ok {
		return p.Anew()
	}
	return nil
}

// beginPasses returns passes that begin with what is learned.
func (x *Exploration) beginPasses(m *swap.Moves) (*serial.Exploration, error) {
	if p := x.learned(); p != nil {
		return p, nil
	}
	known := &serial.Accesses{}
	if !x.opts.learnNothing {
		var err error
		if known, err = serial.Learn(m, x.pool.Halted); err != nil {
			return nil, err
		}
	}
	p := serial.New(known, x.prog.Sessions(), m.Symmetry)
	if x.keeps() && !x.pool.Halted() { // else it may have learned less than the next one does
		x.prog.Keep(learnedAt(x.opts.Level), p.Anew())
	}
	return p, nil
}
