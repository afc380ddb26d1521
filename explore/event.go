package explore

import (
	"encoding/json"

	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/report"
)

// Sink is told what a run does and finds, by one goroutine.
type Sink interface {
	// Turn says that the run turns to a program, and to a level or, while the
	// program is prepared, to none: then x is nil.
	Turn(program, iso string, x *dpor.Exploration)
	// Event takes a line of the report (*report.Listed, *report.Violation,
	// *report.Result, *report.Error, *report.Comparison, *report.Replay), a *Tally
	// or a *Checkpoint.
	Event(event any)
}

// Types of the events that are not part of the public format.
const (
	TypeCheckpoint = "checkpoint"
	TypeTally      = "tally"
)

// Place is a program and a level.
type Place struct {
	Program string `json:"program"`
	Iso     string `json:"iso"`
}

// Checkpoint says what is left of an exploration. All that was found before it is
// in the events before it, but for the groups.
type Checkpoint struct {
	Type string `json:"type"` // "checkpoint"
	Place
	Frontier *dpor.Frontier `json:"frontier"`
	Groups   []Group        `json:"groups,omitempty"`
	// Errors are those of the database that outcomes have met, where parts tell them.
	Errors []report.Expected `json:"errors,omitempty"`
	// Alike is of an exploration up to permutations of sessions in other processes.
	Alike *Alike `json:"alike,omitempty"`
}

// Alike says which sessions are taken for alike by an exploration in other processes.
type Alike struct {
	Sets [][]int  `json:"sets"`
	Off  []string `json:"off,omitempty"` // what has told sessions apart
	// Lines are those of the report. They count if the sessions are alike, which is known at the end.
	Lines []json.RawMessage `json:"lines,omitempty"`
}

// Group is the smallest violation so far of a cause, as a dpor trace, and how many
// there are.
type Group struct {
	Trace [][]int `json:"trace"`
	Count int64   `json:"count"`
	Cause string  `json:"cause,omitempty"`
	Rank  []int   `json:"rank,omitempty"` // the least is the smallest
}

// Progress says where a run goes on and how often it says what is left.
type Progress struct {
	Every  time.Duration // how often there is a Checkpoint; 0: never
	Done   []Place       // what is not to be explored
	Resume []Checkpoint  // where to go on
}

// Tally is the result of a level with the failures of each assertion. Its
// verdicts are of that level only.
type Tally struct {
	Type       string             `json:"type"` // "tally"
	Result     *report.Result     `json:"result"`
	Assertions []report.Assertion `json:"assertions"`
}
