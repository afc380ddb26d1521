package gotest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/report"
)

// verdict is what an exploration says of the program.
type verdict uint8

const (
	holds verdict = iota // explored completely
	broken
	incomplete
	failed    // the program cannot be explored
	unchecked // nothing was checked
)

// outcome is the result of a level.
type outcome struct {
	verdict   verdict
	text      string
	violation *report.Violation // when broken
}

// explore explores the program at the level, up to the first violation.
func (r *level) explore(ctx context.Context) outcome {
	ctx, cancel := r.timed(ctx)
	defer cancel()
	found := &events{}
	run := &explore.Run{Package: r.pkg, Options: r.Options, Sink: found, Naming: naming}
	run.Level(ctx, r.client, r.iso) // whose error is an event
	text := &report.Text{}
	switch result := found.result; {
	case found.failed != nil:
		return outcome{verdict: failed, text: text.Problem(found.failed)}
	case found.violation != nil:
		said := strings.TrimRight(text.Result(result)+text.Violation(found.violation), "\n")
		return outcome{verdict: broken, text: said, violation: found.violation}
	case result.Unchecked != "":
		return outcome{verdict: unchecked, text: strings.TrimRight(text.Result(result), "\n")}
	case result.Complete, result.Within():
		return outcome{verdict: holds, text: strings.TrimRight(text.Result(result), "\n")}
	default:
		said := r.incomplete(result.Histories) + "\n" + r.stopped(result.Stopped)
		if result.Note != "" {
			said += "\n" + result.Note
		}
		return outcome{verdict: incomplete, text: said}
	}
}

// events are what a level comes to.
type events struct {
	violation *report.Violation
	result    *report.Result
	failed    *report.Error
}

// Turn makes events a sink.
func (*events) Turn(string, string, *dpor.Exploration) {}

// Event keeps what there is one of.
func (e *events) Event(event any) {
	switch event := event.(type) {
	case *report.Violation:
		e.violation = event
	case *report.Result:
		e.result = event
	case *report.Error:
		e.failed = event
	}
}

// late is the outcome of a level for which there is no time.
func (r *level) late() outcome {
	return outcome{verdict: incomplete, text: r.incomplete(0) + "\nno time was left before the deadline of go test -timeout"}
}

// incomplete is the line of a level of which not all histories were seen.
func (r *level) incomplete(histories int64) string {
	unit := "histories"
	if histories == 1 {
		unit = "history"
	}
	return fmt.Sprintf("INCOMPLETE  %s  iso=%s  %d %s: no violation so far, not a proof", r.client.Name, r.iso, histories, unit)
}

// stopped says what stopped an exploration.
func (r *level) stopped(reason string) string {
	why := ""
	if r.short {
		why = " under -short"
	}
	switch {
	case reason == string(work.ByMaxHistories):
		return fmt.Sprintf("stopped by the limit of %d%s", r.MaxHistories, why)
	case reason == string(work.ByTimeout) && r.deadline:
		return fmt.Sprintf("stopped after %v, before the deadline of go test -timeout", r.Timeout.Round(time.Millisecond))
	case reason == string(work.ByTimeout):
		return fmt.Sprintf("stopped after %v%s", r.Timeout, why)
	}
	return "stopped by an " + reason
}
