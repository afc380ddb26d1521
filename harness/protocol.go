package harness

import (
	"time"

	"github.com/txmc/txmc/dpor"
)

// Version counts the changes of what the command and the harness say to each
// other. The command may be of another release than the module's txmc.
const Version = 4

// Variable is the environment variable that carries the [Options] as JSON.
const Variable = "TXMC_HARNESS"

// Descriptor is the file descriptor to which the harness writes its lines: those
// of package report, [Progress], and [End] as the last.
const Descriptor = 3

// Types of the lines that are not part of the public format.
const (
	TypeProgress   = "progress"
	TypeCheckpoint = "checkpoint"
	TypeEnd        = "end"
)

// Modes of a harness that does not only explore.
const (
	ModeLevels  = "levels"  // sends a Tally for each level
	ModeReplay  = "replay"  // sends a report.Replay for the one program
	ModeCompare = "compare" // sends a report.Comparison for each program
)

// Options say what to explore and how far.
type Options struct {
	Version      int           `json:"version"`
	Package      string        `json:"package"` // import path, for reports
	Mode         string        `json:"mode"`    // "", or one of the modes
	Levels       []string      `json:"levels"`
	Stronger     string        `json:"stronger"` // for ModeCompare
	Replay       string        `json:"replay"`   // for ModeReplay: a replay.File
	Base         string        `json:"base"`     // "" for each level's default
	Engine       string        `json:"engine"`   // "" for the default
	All          bool          `json:"all"`
	List         bool          `json:"list"`
	Group        bool          `json:"group"` // with All: one violation of each cause
	MaxHistories int64         `json:"max_histories"`
	MaxOps       int           `json:"max_ops"`
	MaxTreeBytes int64         `json:"max_tree_bytes"`
	Workers      int           `json:"workers"` // 0: one for each core
	Timeout      time.Duration `json:"timeout"` // for each program and level; 0: none
	Patience     time.Duration `json:"patience"`

	Recheck    int           `json:"recheck"`          // as program.Options.Recheck
	Guess      bool          `json:"guess"`            // estimate the share that is done
	Checkpoint time.Duration `json:"checkpoint"`       // how often a Checkpoint is sent; 0: never
	Done       []Place       `json:"done,omitempty"`   // not to be explored
	Resume     string        `json:"resume,omitempty"` // file of []Checkpoint: where to go on
}

// Place is a program and a level.
type Place struct {
	Program string `json:"program"`
	Iso     string `json:"iso"`
}

// Checkpoint says what is left of an exploration. All that was found before it is
// in the lines before it, but for the groups.
type Checkpoint struct {
	Type string `json:"type"` // "checkpoint"
	Place
	Frontier *dpor.Frontier `json:"frontier"`
	Groups   []Group        `json:"groups,omitempty"`
}

// Group is the smallest violation so far of a cause, as a dpor trace, and how many
// there are.
type Group struct {
	Trace [][]int `json:"trace"`
	Count int64   `json:"count"`
}

// Progress says where the harness is. One is sent when it turns to a program or
// level, and several in a second.
type Progress struct {
	Type       string  `json:"type"` // "progress"
	Program    string  `json:"program"`
	Iso        string  `json:"iso"` // "" while the program is prepared
	Histories  int64   `json:"histories"`
	EndStates  int64   `json:"end_states"`
	Explored   int64   `json:"explored"`
	Violations int64   `json:"violations"`
	Depth      int     `json:"depth"`
	Seconds    float64 `json:"seconds"`
	// Share is the share of the calls of explore that is done, as a dpor.Guess
	// says, and the range in which it is; 0, and 0 to 1, while nothing is known.
	Share      float64 `json:"share"`
	ShareLeast float64 `json:"share_least"`
	ShareMost  float64 `json:"share_most"`
}

// Left is the time that is left, in seconds, if the share is right; false when
// nothing is known.
func (p *Progress) Left() (seconds float64, known bool) {
	if p.Share <= 0 {
		return 0, false
	}
	return p.Seconds * (1 - p.Share) / p.Share, true
}

// End is the last line of a harness that has done all it was asked for, or as
// much as an interrupt left time for.
type End struct {
	Type string `json:"type"` // "end"
}
