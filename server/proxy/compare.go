package proxy

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	model "github.com/txmc/txmc/explore/executed"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// compare runs the program under the model as well.
func (f *finding) compare(of *program.Client, level isolation.Level) error {
	onModel, stats, err := f.modelled(of, level, bySchedules)
	if err != nil {
		return err
	}
	onServer := map[string]report.Outcome{}
	failed := f.all(func(o *result) bool {
		onServer[f.apart(f.client, o.ends, o.left)] = report.Outcome{Execution: report.Execution{Schedule: o.lines, Left: o.left}, Saw: saw(f.client, o.ends)}
		return true
	})
	if failed != nil {
		return failed
	}
	c := &report.ServerComparison{
		Type: report.TypeServerComparison, Schema: report.Schema, Package: f.run.Package, Program: f.client.Name, Iso: f.level.String(),
		Server: f.Version(), Level: f.named, Executions: f.executions, OnlyModel: []report.Outcome{}, OnlyServer: []report.Outcome{},
		Complete: f.stopped == "" && stats.Complete, Stopped: string(f.stopped),
	}
	if c.Stopped == "" {
		c.Stopped = string(stats.Stopped)
	}
	missing, more := map[string]report.Outcome{}, map[string]report.Outcome{} // on the server; there alone
	for key, o := range onModel {
		if _, both := onServer[key]; both {
			c.Outcomes++
		} else if f.stopped == "" {
			missing[key] = o.Outcome
		}
	}
	for key, o := range onServer {
		if _, both := onModel[key]; !both {
			delete(onServer, key)
			if stats.Complete {
				more[key] = o
			}
		}
	}
	if c.ByTiming, err = f.byTiming(missing, onServer, of, level); err != nil {
		return err
	}
	c.ByOrder = f.byOrder(missing, more)
	c.OnlyModel, c.OnlyServer = inOrder(missing), inOrder(more)
	c.Seconds = time.Since(f.began).Seconds()
	f.run.Sink.Event(c)
	return nil
}

// apart is what tells an outcome apart. It notes which others are the same but for the order of rows.
func (f *finding) apart(c *program.Client, ends []*behaviour.Node, left []report.Assigned) string {
	key := f.dialect.alike(seen(c, ends) + unmadeLeft(left))
	if f.sorted == nil {
		f.sorted = map[string]string{}
	}
	f.sorted[key] = f.dialect.alike(seenAs(c, ends, true) + unmadeLeft(left))
	return key
}

// byOrder takes outcomes away that the other has with rows in another order, which nobody has asked for, and
// returns their number.
func (f *finding) byOrder(missing, more map[string]report.Outcome) (n int64) {
	of := func(m map[string]report.Outcome) map[string][]string {
		sorted := map[string][]string{}
		for key := range m {
			sorted[f.sorted[key]] = append(sorted[f.sorted[key]], key)
		}
		return sorted
	}
	here, there := of(missing), of(more)
	for sorted, keys := range here {
		if len(there[sorted]) == 0 {
			continue
		}
		n++
		for _, key := range keys {
			delete(missing, key)
		}
		for _, key := range there[sorted] {
			delete(more, key)
		}
	}
	return n
}

// byTiming takes those away from outcomes that the server lacks which it has with other timing: the model without what
// timing decides lacks them too. Where both have outcomes that only timing gives, as by a time limit that is short, or by
// deadlocks that are found late, the server may lack any outcome in which somebody has waited.
func (f *finding) byTiming(missing, both map[string]report.Outcome, of *program.Client, level isolation.Level) ([]report.Outcome, error) {
	if len(missing) == 0 {
		return nil, nil
	}
	untimed, stats, err := f.modelled(of, level, untimedSchedules)
	if err != nil || !stats.Complete {
		return nil, err
	}
	late := false // the server's timing is another one
	for key := range both {
		_, has := untimed[key]
		late = late || !has
	}
	waits := func(o report.Operation) bool { return o.What == report.StepWaits }
	byTiming := map[string]report.Outcome{}
	for key, o := range missing {
		if _, has := untimed[key]; !has || late && slices.ContainsFunc(o.Schedule, waits) {
			byTiming[key] = o
			delete(missing, key)
		}
	}
	return inOrder(byTiming), nil
}

// inOrder are the outcomes, in an order that is the same in each run.
func inOrder(m map[string]report.Outcome) []report.Outcome {
	list := make([]report.Outcome, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(list, m[key])
	}
	return list
}

// What the model explores for a comparison. Schedules have whole statements as steps. Free runs
// have not: for them the model has all that it knows of what happens inside statements.
var (
	bySchedules      = dpor.Selection{Steps: states.Statements}
	untimedSchedules = dpor.Selection{NoRaces: true, Steps: states.Statements}
	byFreeRuns       = dpor.Selection{Steps: states.Points}
)

// modelled are the outcomes under the model, by what tells them apart on a server too. With
// races they are executions too, and what only timing decides is a choice.
func (f *finding) modelled(of *program.Client, level isolation.Level, which dpor.Selection) (map[string]told, dpor.Stats, error) {
	c, err := of.DatabaseAt(level.String())
	if err != nil {
		return nil, dpor.Stats{}, err
	}
	defer c.Park()
	x := dpor.Explore(f.ctx, c, dpor.Options{Level: level, Selection: which, All: true, List: true, Workers: f.run.Options.Workers})
	src := report.Source{Package: f.run.Package, Program: c.Name, Level: level, Names: c}
	outcomes := map[string]told{}
	for found, err := range x.Histories() {
		if err != nil {
			return nil, dpor.Stats{}, err
		}
		if which.NoRaces {
			outcomes[f.apart(c, found.Ends, model.Left(src, c, found))] = told{}
			continue
		}
		l, err := model.Listed(src, c, found, which.Steps)
		if err != nil {
			return nil, dpor.Stats{}, err
		}
		outcomes[f.apart(c, found.Ends, l.Left)] = tell(c, l.Execution, found.Ends)
	}
	return outcomes, x.Stats(), nil
}

// saw is what the sessions have seen, for people: the answers in words, and what they
// observe.
func saw(c *program.Client, ends []*behaviour.Node) (list []report.Assigned) {
	for i, end := range ends {
		var words []string
		for _, n := range end.Path() {
			for _, e := range n.Events {
				switch e.Kind {
				case behaviour.AnswerEvent:
					words = append(words, strings.TrimPrefix(e.Text, "!"))
				case behaviour.ObserveEvent:
					words = append(words, e.Text+" = "+c.Format(e.Val))
				}
			}
		}
		list = append(list, report.Assigned{Key: c.SessionName(i), Value: strings.Join(words, ", ")})
	}
	return list
}
