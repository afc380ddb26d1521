package dpor

import "github.com/txmc/txmc/isolation/model"

// Under the model of a database an exploration begins as if no statement looked at more than
// the contents of rows: at their physical order, or at which of several holders of a row began
// first. States that differ in this alone are one. The model notices a statement that does look.
// Then the exploration begins again, and what was looked at makes states differ. What it has
// handed on by then is not handed on again.

// beginLooks begins with nothing that has been looked at. A part of an exploration takes all as
// looked at: other parts do not learn what it meets.
func (x *Exploration) beginLooks() {
	o := &x.opts
	if o.Engine == States && o.Part == nil && x.prog.Storage() != nil && !o.everyPath && !o.Ways && !o.lookAtAll {
		x.looks = &model.Looks{}
	}
}

// again lets the exploration begin again with what has been looked at.
func (x *Exploration) again() error {
	x.mu.Lock()
	x.symmetric.anew, x.symmetric.handed = true, x.symmetric.renamed()
	x.mu.Unlock()
	return x.renew()
}
