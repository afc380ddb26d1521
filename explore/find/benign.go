package find

import (
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/structure"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/program/rows"
	"github.com/txmc/txmc/report"
)

// A structure that no anomaly has may have run all the same: with the outcome of a serial
// order. It is benign. So structures that run and do no harm are told apart from those that
// nobody could run. All outcomes of a configuration are listed for that.

// Benign are structures that ran between some calls, in runs of which each has the outcome of a
// serial order.
type Benign struct {
	Calls     []string         `json:"calls"`
	Invoked   []string         `json:"invoked"` // the calls with their arguments
	Structure string           `json:"structure"`
	Run       report.Execution `json:"run"`
}

// open reports whether no anomaly has shown a structure. One that has run and done no harm may do some
// in another variant.
func (r *runner) open(s *structure.Structure) bool {
	return !slices.ContainsFunc(r.plans, func(p *plan) bool { return p.shown[s] })
}

// unseen reports whether no run at all has shown a structure.
func (r *runner) unseen(s *structure.Structure) bool { return r.harmless[s] == nil && r.open(s) }

// listed takes an outcome, and what event takes.
func (r *runner) listed(kind string, line []byte) error {
	if kind != report.TypeHistory {
		return r.event(kind, line)
	}
	var l report.Listed
	if err := report.Parse(line, &l); err != nil {
		return harness.Garbled(err)
	}
	p := r.now[l.Program]
	if p == nil {
		return nil
	}
	for _, s := range p.structures {
		if r.harmless[s] == nil && shows(&l.Execution, s, true) {
			r.harmless[s] = &Benign{Calls: namesOf(s), Invoked: p.invoked(l.Program, r.program.Makers), Structure: text(s), Run: l.Execution}
		}
	}
	return nil
}

// meet reports whether two statements of a run have a row of the dependency's table in common,
// or one of them names none. An inserted row is none of the rows that were read before.
func meet(v *report.Execution, d *structure.Dependency, i, j int) bool {
	from, to := rowsOf(v, d.Table, i), rowsOf(v, d.Table, j)
	if len(from) == 0 || len(to) == 0 || moves(d.From, d.Table) || moves(d.To, d.Table) {
		return true
	}
	return slices.ContainsFunc(from, func(row string) bool { return slices.Contains(to, row) })
}

// moves reports whether a step brings or takes rows of a table.
func moves(s *structure.Step, t *access.Table) bool {
	return slices.ContainsFunc(s.Accesses, func(a *access.Access) bool {
		return a.Table == t && (a.Kind == access.Insert || a.Kind == access.Delete)
	})
}

// rowsOf are the keys of the rows of a table that a step has read or written. There are none
// where the table has no key, or where the report does not name all rows.
func rowsOf(v *report.Execution, t *access.Table, i int) (list []string) {
	for _, row := range v.Schedule[i].Rows {
		if strings.HasPrefix(row, "and ") {
			return nil
		}
		_, text, _ := strings.Cut(row, " ")
		name, content, _ := strings.Cut(text, " ")
		if name != t.Name {
			continue
		}
		columns, key := rows.Columns(content), ""
		for _, c := range t.Key() {
			value, known := columns[t.Columns[c].Name]
			if !known {
				return nil
			}
			key += value + " "
		}
		if key == "" {
			return nil
		}
		list = append(list, key)
	}
	return list
}
