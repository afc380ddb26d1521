package find

import (
	"regexp"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/find/structure"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/rows"
	"github.com/txmc/txmc/report"
)

// shows reports whether a structure is in an execution: its statements ran, each in the session
// of its call, in an order that has all its dependencies. With met, two statements that both
// name rows have one in common. Without met, common rows are not looked at: the configuration
// was made so that the statements have them. Two sessions that make the same call may have
// changed places: one run stands for all that have its outcome.
func shows(v *report.Execution, s *structure.Structure, met bool) bool {
	if s.Deadlock {
		return deadlocked(v, s)
	}
	return showsAs(v, s, 0, met) || len(s.Nodes) == 2 && s.Nodes[0].Call() == s.Nodes[1].Call() && showsAs(v, s, 1, true)
}

// showsAs is shows when node k is the session k+first.
func showsAs(v *report.Execution, s *structure.Structure, first int, met bool) bool {
	session := func(k int) string {
		k %= len(s.Nodes)
		return generate.Session((k+first)%len(s.Nodes), s.Nodes[k].Call())
	}
	for k, d := range s.Dependencies {
		from, to := ran(v, session(k), d.From, false), ran(v, session(k+1), d.To, d.Rival)
		if !slices.ContainsFunc(from, func(i int) bool {
			return slices.ContainsFunc(to, func(j int) bool { return depends(v, d.Kind, i, j) && (!met || meet(v, d, i, j)) })
		}) {
			return false
		}
	}
	return true
}

// ran lists the places in the schedule at which a session's statement took effect. With rival,
// also those at which a constraint refused it.
func ran(v *report.Execution, session string, step *structure.Step, rival bool) (list []int) {
	for i, o := range v.Schedule {
		if o.Session == session && (o.Error == "" || rival && refused(o.Error)) && o.What != report.StepWaits && is(&o, step) {
			list = append(list, i)
		}
	}
	return list
}

// is reports whether an operation is a step. Libraries send several statements at one line, and
// some write arguments into the text.
func is(o *report.Operation, step *structure.Step) bool {
	if step.Seen {
		return o.At == step.At && (alike(o.Statement, step.SQL) || len(step.Args) > 0 && rows.First(o.Statement) == rows.First(step.SQL) && !parameter.MatchString(regexp.QuoteMeta(step.SQL)))
	}
	return o.At == step.At && o.Statement != "" || alike(o.Statement, step.SQL)
}

// depends reports whether the order of two statements is that of a dependency.
func depends(v *report.Execution, kind structure.Kind, i, j int) bool {
	switch kind {
	case structure.WR: // the reader's snapshot has what was committed before
		return end(v, i) < snapshot(v, j)
	case structure.RW: // the writer was no part of the reader's snapshot
		return end(v, j) > snapshot(v, i)
	}
	return i < j
}

// end is the place at which the transaction of a step commits.
func end(v *report.Execution, i int) int {
	last := i
	for k, o := range v.Schedule {
		if o.Session == v.Schedule[i].Session && o.Transaction == v.Schedule[i].Transaction {
			last = max(last, k)
		}
	}
	return last
}

// snapshot is the place at which a statement's snapshot is taken.
func snapshot(v *report.Execution, i int) int {
	innodb := false
	switch level := v.Schedule[i].Level; level {
	case "", isolation.PgRC.String(), isolation.InnoRC.String():
		return i
	case isolation.InnoRR.String(), isolation.InnoRRSI.String():
		innodb = true
	case isolation.InnoSer.String():
		return i
	}
	if innodb && !views(v.Schedule[i].Statement) { // it meets the newest version
		return i
	}
	return slices.IndexFunc(v.Schedule, func(o report.Operation) bool {
		return (!innodb || views(o.Statement)) && o.Session == v.Schedule[i].Session && o.Transaction == v.Schedule[i].Transaction
	})
}

// views reports whether a statement reads the transaction's snapshot on InnoDB.
func views(statement string) bool {
	text := strings.ToUpper(strings.Join(strings.Fields(statement), " "))
	return strings.HasPrefix(text, "SELECT") && !strings.Contains(text, "FOR UPDATE") && !strings.Contains(text, "FOR SHARE") && !strings.Contains(text, "LOCK IN SHARE MODE")
}

var parameter = regexp.MustCompile(`\\\$\d+|\\\?`)

// alike reports whether a statement that ran, with its arguments, may have a text.
func alike(ran, sql string) bool {
	pattern := parameter.ReplaceAllString(regexp.QuoteMeta(strings.Join(strings.Fields(sql), " ")), ".*")
	matched, err := regexp.MatchString("^"+pattern+";?$", ran)
	return err == nil && matched
}
