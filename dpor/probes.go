package dpor

import (
	"cmp"

	"github.com/txmc/txmc/dpor/work"
)

// What Options.Probes and ProbeAfter stand for when they are 0.
const (
	probeAfter = 8
	probeMost  = 100
)

// newProbe returns that of the first worker.
func (x *Exploration) newProbe() work.Probe {
	o := &x.opts
	if o.Probes < 0 || o.All || o.List || o.DFS || o.Bound != nil || o.Resume != nil || x.prog.Grows() {
		return work.Probe{}
	}
	return work.Probe{After: int64(max(1, cmp.Or(o.ProbeAfter, probeAfter))), Most: cmp.Or(o.Probes, probeMost)}
}

// The same under the model of a database: states, and random executions.
const (
	walkAfter = 100 // states
	walkMost  = 100
)

// newWalk is newProbe under the model of a database.
func (x *Exploration) newWalk() work.Probe {
	o := &x.opts
	if o.Probes < 0 || o.All || o.List || o.Part != nil || o.Resume != nil || o.Near || o.Whole || o.Switches > 0 || o.everyPath || o.Ways {
		return work.Probe{}
	}
	return work.Probe{After: int64(max(1, cmp.Or(o.ProbeAfter, walkAfter))), Most: cmp.Or(o.Probes, walkMost)}
}
