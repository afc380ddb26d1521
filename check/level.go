package check

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/smallest"
)

// verdict is what an exploration says of the program.
type verdict uint8

const (
	holds verdict = iota // explored completely
	broken
	incomplete
	failed // the program cannot be explored
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
	opts, err := r.exploration(r.iso)
	if err != nil {
		return outcome{verdict: failed, text: err.Error()}
	}
	src := report.Source{Package: r.pkg, Client: r.client, Options: opts}
	x := dpor.Explore(ctx, r.client, opts)
	var first *dpor.Found
	for found, err := range x.Histories() {
		if err != nil {
			return outcome{verdict: failed, text: problem(r.pkg, r.client.Name, r.iso.String(), err)}
		}
		if first == nil {
			first = found
		}
	}
	result := src.Result(x.Stats())
	text := &report.Text{}
	switch {
	case first != nil:
		v := smallest.Report(ctx, src, first)
		return outcome{verdict: broken, text: strings.TrimRight(text.Result(result)+text.Violation(v), "\n"), violation: v}
	case result.Complete:
		return outcome{verdict: holds, text: strings.TrimRight(text.Result(result), "\n")}
	}
	said := r.incomplete(result.Histories) + "\n" + r.stopped(result.Stopped)
	if result.Note != "" {
		said += "\n" + strings.Replace(result.Note, "--engine=auto", `txmc.Engine("auto")`, 1)
	}
	return outcome{verdict: incomplete, text: said}
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
	case reason == string(dpor.ByMaxHistories):
		return fmt.Sprintf("stopped by the limit of %d%s", r.maxHistories, why)
	case reason == string(dpor.ByTimeout) && r.deadline:
		return fmt.Sprintf("stopped after %v, before the deadline of go test -timeout", r.timeout.Round(time.Millisecond))
	case reason == string(dpor.ByTimeout):
		return fmt.Sprintf("stopped after %v%s", r.timeout, why)
	}
	return "stopped by an " + reason
}
