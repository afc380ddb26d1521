package explore

import (
	"cmp"
	"context"

	"github.com/txmc/txmc/explore/replay"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// Server is a real database server on which programs run. Package server/proxy has it.
type Server interface {
	// Find is the task that runs a program in all orders of its statements; with compare,
	// the task that compares the outcomes with those under the model.
	Find(compare bool) Task
	// Free is the task that runs a program many times, its sessions beside each other with
	// nobody to hold them, and looks for outcomes that it does not have under the model.
	Free(r FreeRuns) Task
	// Replay is the task that runs the schedule of a saved violation.
	Replay(saved *replay.File) Task
	// Confirm runs the schedule of a violation that was found at a level.
	Confirm(ctx context.Context, r *Run, client *program.Client, level isolation.Level, v *report.Violation) *report.Confirmation
	// Close ends the connections.
	Close() error
}

// OnServer says on which server programs run, and how.
type OnServer struct {
	DSN     string `json:"dsn"`     // of a database that is empty, or was left by txmc; "" for none
	Own     bool   `json:"own"`     // the server is a throw-away one, whose processes may be paused
	Kind    string `json:"kind"`    // of the server: the last element of the package that has it; "" for PostgreSQL
	Confirm bool   `json:"confirm"` // only to confirm violations
	Compare bool   `json:"compare"` // to compare with the model

	Free *FreeRuns `json:"free,omitempty"` // to compare free runs with the model; nil: all orders
}

// FreeRuns are runs of a program on a server in which nobody decides who is next.
type FreeRuns struct {
	Runs int64  `json:"runs"` // how many; 0: until Options.Timeout
	Seed uint64 `json:"seed"` // of the delays of the first run; each has the next one
}

// Package is the package below server/proxy that has the server; "" where there is none.
func (o *OnServer) Package() string {
	if o.DSN == "" {
		return ""
	}
	return cmp.Or(o.Kind, ".")
}

// confirming is a sink for violations that are confirmed before they are reported.
type confirming struct {
	Sink
	ctx    context.Context
	run    *Run
	client *program.Client
	level  isolation.Level
}

// Event confirms a violation.
func (c confirming) Event(event any) {
	if v, ok := event.(*report.Violation); ok {
		v.Confirmation = c.run.Server.Confirm(c.ctx, c.run, c.client, c.level, v)
	}
	c.Sink.Event(event)
}

// onServer is the run with what it does on a server.
func (r *Run) onServer(ctx context.Context, client *program.Client, level isolation.Level) *Run {
	if !r.Confirm {
		return r
	}
	c := *r
	c.Sink = confirming{r.Sink, ctx, r, client, level}
	return &c
}
