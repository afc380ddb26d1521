package harness

import (
	"fmt"
	"time"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report"
)

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
	Round      int     `json:"round,omitempty"` // see dpor.Stats
	// Share is the share of the calls of explore that is done, and the range of this
	// share. A dpor.Estimate gives both. They are 0, and 0 to 1, while nothing is
	// known.
	Share      float64 `json:"share"`
	ShareLeast float64 `json:"share_least"`
	ShareMost  float64 `json:"share_most"`
	// Calls are those of explore in the whole exploration, with their standard error, by
	// so many samples: a dpor.Estimate.
	Estimate work.Estimate `json:"estimate"`
	// Of a cluster: the workers, and the tasks that are open.
	Workers *int `json:"workers,omitempty"`
	Tasks   int  `json:"tasks,omitempty"`
}

// Left is the time that is left, in seconds, if the share is right; false when
// nothing is known.
func (p *Progress) Left() (seconds float64, known bool) {
	if p.Share <= 0 {
		return 0, false
	}
	return p.Seconds * (1 - p.Share) / p.Share, true
}

// String fits one line of a narrow terminal.
func (p *Progress) String() string {
	if p.Iso == "" {
		return p.Program + "  preparing"
	}
	round := ""
	if p.Round > 0 {
		round = fmt.Sprintf("round %d  ", p.Round)
	}
	if p.Workers != nil {
		round = fmt.Sprintf("workers %d  ", *p.Workers)
	}
	return fmt.Sprintf("%s iso=%s  %s%v  %s/s  %sviolations %d", p.Program, p.Iso, round, duration(p.Seconds), p.counts(), p.done(), p.Violations)
}

// counts are what the level counts, and how many of the second there are in a second.
func (p *Progress) counts() string {
	words, of := "%d histories of %d, %.0f", p.EndStates
	if l, err := isolation.Parse(p.Iso); err == nil && l.Database() != isolation.NoDatabase {
		words, of = "%d outcomes in %d states, %.0f", p.Explored
	}
	rate := 0.0
	if p.Seconds > 0 {
		rate = float64(of) / p.Seconds
	}
	return fmt.Sprintf(words, p.Histories, of, rate)
}

// done says how much is done, as far as is known, and how long the rest takes.
func (p *Progress) done() string {
	left, known := p.Left()
	if !known {
		return ""
	}
	return fmt.Sprintf("about %s done (%s to %s), %v left  ", percent(p.Share), percent(p.ShareLeast), percent(p.ShareMost), duration(left))
}

func percent(share float64) string { return fmt.Sprintf("%.2g%%", 100*share) }

// duration rounds seconds to what a reader wants to know.
func duration(seconds float64) time.Duration {
	const most = 1e9 // some thirty years
	d := time.Duration(min(seconds, most) * float64(time.Second))
	if d < time.Minute {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}

// Line is the progress as a line of the report.
func (p *Progress) Line(pkg string) *report.Progress {
	return &report.Progress{
		Type: report.TypeProgress, Schema: report.Schema, Package: pkg, Program: p.Program, Iso: p.Iso,
		Histories: p.Histories, EndStates: p.EndStates, Explored: p.Explored, Violations: p.Violations, Seconds: p.Seconds,
		Round: p.Round, Share: p.Share, ShareLeast: p.ShareLeast, ShareMost: p.ShareMost,
	}
}
