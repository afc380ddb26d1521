package report

import (
	"fmt"
	"strings"
)

// TypeFreeComparison is the type of [FreeComparison].
const TypeFreeComparison = "free-comparison"

// FreeComparison says whether the outcomes of a program's free runs on a real server are
// outcomes that it has under the database's model.
type FreeComparison struct {
	Type    string `json:"type"` // "free-comparison"
	Schema  int    `json:"schema"`
	Package string `json:"package"`
	Program string `json:"program"`
	Iso     string `json:"iso"`
	Server  string `json:"server"`
	Level   string `json:"level"`
	Seed    uint64 `json:"seed"` // of the first run
	Runs    int64  `json:"runs"`
	// Outcomes are the different ones of the runs that the model has; Model counts the
	// model's.
	Outcomes int64     `json:"outcomes"`
	Model    int64     `json:"model"`
	Outside  []Outside `json:"outside"`
	// Unknown are different outcomes that the model has not had until its exploration was
	// stopped. TimedOut counts runs that no outcome of the model has, as a time limit has
	// ended a statement.
	Unknown  int64   `json:"unknown,omitempty"`
	TimedOut int64   `json:"timed_out,omitempty"`
	Complete bool    `json:"complete"` // all outcomes of the model are known, and there was a run
	Stopped  string  `json:"stopped,omitempty"`
	Seconds  float64 `json:"seconds"`
}

// Outside is an outcome that the server has, and not the model.
type Outside struct {
	Outcome
	Runs int64  `json:"runs"` // that had it
	Seed uint64 `json:"seed"` // of the first of them
	// Nearest is the model's outcome with the fewest differences, which are Differs.
	Nearest *Outcome    `json:"nearest,omitempty"`
	Differs []Different `json:"differs,omitempty"`
	Again   string      `json:"again,omitempty"` // the command that begins with this run
}

// Different is a part of an outcome of which both have another one; "" where one has none.
type Different struct {
	What   string `json:"what"` // the session, and the number of its answer; or a row that is left
	Model  string `json:"model"`
	Server string `json:"server"`
}

// FreeComparison renders a comparison.
func (t *Text) FreeComparison(c *FreeComparison) string {
	where := fmt.Sprintf("%s  iso=%s", t.Name(c.Package, c.Program), c.Iso)
	if c.Server == "" { // it was not begun
		return fmt.Sprintf("INCOMPLETE  %s  %s\n", where, t.end(&Result{Stopped: c.Stopped, Unreached: true}))
	}
	seconds := fmt.Sprintf("%.2fs", c.Seconds)
	runs := fmt.Sprintf("%s on %s", count(c.Runs, "run", "runs"), c.Server)
	timed := ""
	if c.TimedOut > 0 {
		timed = fmt.Sprintf(", %d ended by a time limit", c.TimedOut)
	}
	if len(c.Outside) > 0 {
		return fmt.Sprintf("OUTSIDE  %s  %s of %s that the model lacks, which has %d%s  %s\n", where, count(int64(len(c.Outside)), "outcome", "outcomes"), runs, c.Model, timed, seconds) + c.Outside[0].text(c.Server)
	}
	had := fmt.Sprintf("%s gave %d of the model's %s%s", runs, c.Outcomes, count(c.Model, "outcome", "outcomes"), timed)
	if c.Complete {
		return fmt.Sprintf("inside  %s  %s, and no other  %s\n", where, had, seconds)
	}
	unknown := ""
	if c.Unknown > 0 {
		unknown = fmt.Sprintf(", and %d of which it is not known whether it has them", c.Unknown)
	}
	return fmt.Sprintf("INCOMPLETE  %s  %s%s, %s  %s\n", where, had, unknown, t.end(&Result{Stopped: c.Stopped}), seconds)
}

// text shows an outcome and the model's nearest.
func (o *Outside) text(server string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  only %s has this outcome, in %s; statements by when they were sent:\n\n%s%s", server, count(o.Runs, "run", "runs"), o.operations(none), o.leaves())
	for _, s := range o.Saw {
		b.WriteString(fold("  " + s.Key + " sees: " + s.Value))
	}
	if len(o.Differs) > 0 {
		rows := [][]string{{"", "model", "server"}}
		for _, d := range o.Differs {
			rows = append(rows, []string{d.What, d.Model, d.Server})
		}
		b.WriteString("\n  the nearest outcome of the model differs in\n\n" + table(rows))
	}
	if o.Again != "" {
		b.WriteString("\n  again: " + o.Again + "\n")
	}
	return b.String()
}
