package states

import (
	"regexp"
	"strings"
	"sync"

	"github.com/txmc/txmc/program"
)

// Some values say only which session was the first. They are no part of an outcome that has to be serial: # stands for each.

// ofSequence is a number that a sequence has given: sequences begin after 1,000,000,000.
var ofSequence = regexp.MustCompile(`\b100000\d{4}\b`)

// ofClocks are the expressions for times of the second at which a clock begins.
var ofClocks sync.Map

// unmade is a text without numbers of sequences, and, where the program says when the clock of the database begins (Program.Begins), without
// times of the present.
func unmade(prog *program.Client, text string) string {
	text = ofSequence.ReplaceAllString(text, "#")
	begun := prog.Begun()
	day, at, ok := strings.Cut(begun, "T")
	if !ok {
		return text
	}
	e, ok := ofClocks.Load(begun)
	if !ok {
		second := at[:len("15:04:05")]
		e, _ = ofClocks.LoadOrStore(begun, regexp.MustCompile(day+`[T ]`+second+`(?:\.\d+)?`))
	}
	return e.(*regexp.Regexp).ReplaceAllString(text, "#")
}
