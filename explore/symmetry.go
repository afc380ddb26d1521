package explore

import (
	"strings"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// Values of Options.Symmetry.
const (
	Declared   = "declared" // sessions that Program.Sessions declares are taken for alike
	FindAlike  = "find"     // also others that begin alike
	NoSymmetry = "off"      // none are
)

// alike is what an exploration is told of symmetry.
type alike struct {
	asked bool     // the program declares sessions that are alike, or the user wants them found
	off   []string // why nothing is taken for alike
}

// setSymmetry sets the sessions that are taken for alike.
func (r *Run) setSymmetry(client *program.Client, opts *dpor.Options) (a alike, err error) {
	which := strings.ToLower(r.Options.Symmetry)
	if which == NoSymmetry {
		return a, nil
	}
	sets := client.Alike()
	a.asked = len(sets) > 0 || which == FindAlike
	if !a.asked {
		return a, nil
	}
	if which == FindAlike && !client.Grows() {
		if sets, err = client.LookAlike(); err != nil {
			return a, err
		}
	}
	opts.Symmetric = sets
	return a, nil
}

// of is what the report says of the symmetry; nil is nothing.
func (a alike) of(client *program.Client, st dpor.Stats) *report.Symmetry {
	if !a.asked {
		return nil
	}
	y := &report.Symmetry{Off: append(a.off, st.Symmetry.Off...)}
	for _, set := range st.Symmetry.Sets {
		var names []string
		for _, s := range set {
			names = append(names, client.SessionName(s))
		}
		y.Sets = append(y.Sets, names)
	}
	if len(y.Sets) > 0 {
		y.Histories, y.Violations = st.Symmetry.Histories, st.Symmetry.Violations
	}
	if len(y.Sets) == 0 && len(y.Off) == 0 {
		return nil
	}
	return y
}
