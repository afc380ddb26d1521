package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/txmc/txmc/program/behaviour"
)

// Printed is what a session has printed at one place: a few lines of it are shown there.
type Printed struct {
	Session string `json:"session"`
	Text    string `json:"text"`
	// Operations is how many operations of the schedule came before, under a database's model.
	Operations int `json:"operations,omitempty"`
	Place
}

// mostPrinted lines of what is printed at one place are shown.
const mostPrinted = 3

// escapes are what colours text on a terminal.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// lines are the lines of a text as they are shown, the first ones.
func (p *Printed) lines() (list []string) {
	for line := range strings.SplitSeq(escapes.ReplaceAllString(p.Text, ""), "\n") {
		if line = strings.TrimRight(line, " \t\r"); line != "" {
			list = append(list, "prints "+line)
		}
	}
	if n := len(list); n > mostPrinted+1 {
		list = append(list[:mostPrinted], fmt.Sprintf("prints %d lines more", n-mostPrinted))
	}
	return list
}

// folded are the lines in one.
func (p *Printed) folded() string {
	list := p.lines()
	for i := range list[min(1, len(list)):] {
		list[i+1] = strings.TrimPrefix(list[i+1], "prints ")
	}
	return strings.Join(list, " ⏎ ")
}

// printed collects what the sessions that ended at the given nodes have printed on their way.
func (s Source) printed(ends []*behaviour.Node) (list []Printed) {
	s.walk(ends, func(*behaviour.Event, Place, int) {}, func(p behaviour.Print, at Place, session int) {
		list = append(list, Printed{Session: s.Names.SessionName(session), Text: p.Text, Place: at})
	})
	return list
}

// printed are rows of what is printed once so many operations have run, but for sessions that are left out.
func (e *Execution) printed(operations int, leftOut func(session string) bool) (rows [][]string) {
	for i := range e.Printed {
		p := &e.Printed[i]
		if p.Operations != operations || leftOut(p.Session) {
			continue
		}
		who := p.Session
		if operations > 0 && e.Schedule[operations-1].Session == who {
			who = ""
		}
		for _, line := range p.lines() {
			rows, who = append(rows, []string{"", "", who, "", "  " + line}), ""
		}
	}
	return rows
}

// prints appends what is printed at the places that pick chooses.
func (t *rowBuilder) prints(name string, pick func(session string, at *Place) bool) {
	t.output = slices.DeleteFunc(t.output, func(p Printed) bool {
		if !pick(p.Session, &p.Place) {
			return false
		}
		for _, line := range p.lines() {
			t.rows = append(t.rows, row{position: position{step: t.number}, session: p.Session, name: name, op: line, full: p.Text})
		}
		return true
	})
}
