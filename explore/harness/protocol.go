package harness

import (
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
)

// Version counts the changes of what the command and the harness say to each
// other, and of the overlay, which the command brings. The command may be of another release
// than the module's txmc.
const Version = 10

// Variable is the environment variable that carries the [Request] as JSON.
const Variable = "TXMC_HARNESS"

// Descriptor is the file descriptor to which the harness writes its lines. These are
// the lines of package report, the events of package explore, [Progress], and [End] as
// the last.
const Descriptor = 3

// Types of the lines that the harness adds to what package explore finds.
const (
	TypeProgress = "progress"
	TypeEnd      = "end"
)

// Modes of a harness that does not only explore.
const (
	ModeLevels  = "levels"  // sends an explore.Tally for each level
	ModeReplay  = "replay"  // sends a report.Replay for the one program
	ModeCompare = "compare" // sends a report.Comparison for each program
	ModeAdvise  = "advise"  // sends a report.Advice for each program
	ModeParts   = "parts"   // explores the parts that it is told on OrdersDescriptor
)

// Request says what to explore and how far.
type Request struct {
	Version  int             `json:"version"`
	Package  string          `json:"package"`  // import path, for reports
	Programs []string        `json:"programs"` // names of those to explore among the harness's; nil: all
	Mode     string          `json:"mode"`     // "", or one of the modes
	Stronger isolation.Level `json:"stronger"` // for ModeCompare
	Replay   string          `json:"replay"`   // for ModeReplay: a replay.File

	Among []isolation.Level `json:"among,omitempty"` // for ModeAdvise: the levels that transactions may have

	explore.Options
	explore.Scope

	// Server is where programs run, if not under a model: see MainOn.
	Server explore.OnServer `json:"server"`

	Estimate   bool            `json:"estimate"`         // estimate the share that is done
	Checkpoint time.Duration   `json:"checkpoint"`       // how often an explore.Checkpoint is sent; 0: never
	Done       []explore.Place `json:"done,omitempty"`   // not to be explored
	Resume     string          `json:"resume,omitempty"` // file of []explore.Checkpoint: where to go on
	// Elsewhere: what can be explored by other processes is; the harness asks for it.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// End is the last line of a harness. The harness has done all that it was asked for, or
// as much as an interrupt left time for.
type End struct {
	Type string `json:"type"` // "end"
}
