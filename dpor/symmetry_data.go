package dpor

import (
	"encoding/base64"
	"errors"
	"maps"
	"slices"

	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program"
)

// Another process may go on with an exploration up to permutations of sessions. It compares
// the nodes that it meets with those that were met before. So a frontier has these nodes: the
// renaming follows from them. It also needs to know which images of each subtree are left. So
// each subtree has its decisions.

// Alike is what an exploration up to permutations of sessions knows, as data.
type Alike struct {
	Sets [][]int       `json:"sets,omitempty"` // none when they have fallen apart
	Off  []string      `json:"off,omitempty"`  // why sets have become smaller
	Met  []program.Met `json:"met,omitempty"`
	// Histories and violations with their images.
	Histories  int64 `json:"histories"`
	Violations int64 `json:"violations"`
	// Handed are histories that were handed on: those that an exploration needs to know
	// when it begins again. Anew says that it has begun again.
	Handed []string `json:"handed,omitempty"`
	Anew   bool     `json:"anew,omitempty"`
	// Given are, under the model of a database, the outcomes that were handed on.
	Given []states.Outcome `json:"given,omitempty"`
	// Parts are what parts have met, each by itself: see Join.
	Parts [][]program.Met `json:"parts,omitempty"`
	// Apart is what has told two sessions apart in a part. Nothing of it counts then.
	Apart *program.Difference `json:"apart,omitempty"`
}

// describe makes data of a symmetry, all workers being at rest. It reports false when
// nodes are not there any more: nobody can go on then.
func (y *symmetric) describe(t work.Totals) (a *Alike, whole bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.now == nil && !y.anew && len(y.given) == 0 {
		return nil, true
	}
	a = &Alike{Sets: y.sets(), Off: y.off, Anew: y.anew, Parts: y.parts, Histories: t.Permuted, Violations: t.PermutedViolations}
	if a.Given = y.given; a.Given == nil {
		for _, name := range slices.Sorted(maps.Keys(y.handed)) {
			a.Handed = append(a.Handed, base64.RawStdEncoding.EncodeToString([]byte(name)))
		}
	}
	if y.now.Copies() != nil || y.now == nil {
		return a, true
	}
	a.Met, whole = y.now.Nodes.Met()
	return a, whole
}

// again is what is left of a when the exploration is to begin again.
func (a *Alike) again() *Alike {
	if a == nil {
		return nil
	}
	return &Alike{Handed: a.Handed, Given: a.Given, Anew: true}
}

// resumeSymmetry goes on with the sets of a frontier.
func (x *Exploration) resumeSymmetry(a *Alike) error {
	y := &x.symmetric
	y.off, y.anew, y.wanting, y.parts = a.Off, a.Anew, (x.opts.All || x.opts.List) && x.opts.Part == nil, a.Parts
	y.handed = map[string]bool{}
	for _, text := range a.Handed {
		name, err := base64.RawStdEncoding.DecodeString(text)
		if err != nil {
			return work.Misfit("it names a history that is none")
		}
		y.handed[string(name)] = true
	}
	for _, o := range a.Given {
		if len(o.Saw) != x.prog.Sessions() {
			return work.Misfit("it names an outcome of other sessions")
		}
	}
	y.given = a.Given
	return nil
}

// meet looks at what other processes have seen the sessions do.
func meet(y *orbit.Symmetry, a *Alike) error {
	err := meetAll(y, a)
	var apart *program.Difference
	var unmet *program.NotMet
	if errors.As(err, &apart) || errors.As(err, &unmet) {
		return work.Misfit("%v", err)
	}
	return err
}
