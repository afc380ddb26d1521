package ci

import (
	"strings"

	"github.com/txmc/txmc/report"
)

// Judged is what becomes of a recorded history at a level.
type Judged struct {
	File, Iso string
	Outcome   Outcome
	// Say is the verdict in a line, and Why what explains it, for people.
	Say, Why string
	// Anomaly and At are what is wrong, and where in the files of the history.
	Anomaly, At string
	Seconds     float64
	Violation   *report.Violation // nil when it is no cycle
}

// Outcome is what a verdict says.
type Outcome uint8

// The outcomes. An undecided history proves nothing.
const (
	Satisfied Outcome = iota
	Violated
	Undecided
)

// Judged adds a verdict on a recorded history.
func (l *Log) Judged(j *Judged) { l.judged = append(l.judged, j) }

// GitHubJudged is the annotation of a verdict; "" where nothing is wrong.
func GitHubJudged(j *Judged) string {
	if j.Outcome != Violated {
		return ""
	}
	return annotation(j.At, title(j.File, j.Iso), j.summary())
}

func (j *Judged) summary() string { return "violated: " + j.Anomaly }

// sarif is the result of a violated history.
func (j *Judged) sarif() sarifResult {
	r := result("history", j.File, "", title(j.File, j.Iso)+": "+j.summary(), j.At)
	r.Locations[0].Logical[0].Kind = "resource"
	parts := []string{j.File, j.Iso, j.Anomaly}
	if j.Violation != nil {
		parts = append(parts, why(j.Violation)...)
		r.CodeFlows = flows(j.Violation)
	}
	r.Fingerprints = fingerprint(parts...)
	return r
}

// junit is the case of a history and a level.
func (j *Judged) junit() *junitCase {
	c := &junitCase{Name: title(j.File, j.Iso), Class: j.File}
	switch j.Outcome {
	case Violated:
		c.File, c.Line = position(j.At)
		c.Failures = []junitProblem{{"history", firstLine(j.summary()), "\n" + printable(j.Why)}}
	case Undecided:
		c.Errors = []junitProblem{{"undecided", firstLine(strings.TrimSpace(j.Say)), ""}}
	}
	return c
}
