package dpor

import (
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program"
)

// Outcomes that were reported before an exploration under the model of a database began again
// are not reported again.

// repeatsOutcome reports whether an outcome was handed on before the exploration began again,
// or an image of it.
func (y *symmetric) repeatsOutcome(f *work.Found, prog *program.Client) bool {
	o := states.OutcomeOf(f, prog)
	name := o.Name(y.sets())
	if y.anew && y.handed[name] {
		return true
	}
	if y.now != nil || y.looking {
		y.handed[name] = true
		y.given = append(y.given, o)
	}
	return false
}

// renamed names what was handed on, up to permutations of the present sets.
func (y *symmetric) renamed() map[string]bool {
	if y.given == nil {
		return y.handed
	}
	handed := map[string]bool{}
	for i := range y.given {
		handed[y.given[i].Name(y.sets())] = true
	}
	return handed
}
