package report

import (
	"fmt"
	"strings"
)

// label is the width of the words on the left of what explains a violation.
const label = len("anomaly") + 2

// Glossary is where the words of reports are explained.
const Glossary = "https://github.com/txmc/txmc/blob/main/docs/anomalies.md"

// why tells an explanation: what there is in the end, the anomaly, the cycle and
// the levels.
func (t *Text) why(v *Violation) string {
	e := v.Explanation
	if e == nil {
		return ""
	}
	var b strings.Builder
	names := v.History.shortNames()
	say := func(name, s string) {
		if s != "" {
			b.WriteString(t.labelled(name, s))
		}
	}
	say("after", e.after(names, &v.History))
	say("anomaly", e.Words.Title)
	say("why", strings.Join(e.Words.Sentences, "\n"))
	say("cycle", circle(e.Cycle, names))
	say("levels", e.Words.Levels)
	say("at ser", v.serially())
	if e.Words.Title != "" || len(e.Cycle) > 0 {
		say("terms", Glossary)
	}
	return b.String()
}

// labelled is a paragraph, or several, beside a word.
func (t *Text) labelled(name, s string) string {
	body := ""
	for line := range strings.SplitSeq(s, "\n") {
		body += hang("  "+pad("", label), line)
	}
	return "  " + t.paint(bold, pad(name, label)) + body[2+label:]
}

// after tells the values that keys have in the end.
func (e *Explanation) after(names map[string]string, h *History) string {
	var parts []string
	quiet := h.spoken()
	for _, l := range e.After {
		if quiet && keys(l.Key) {
			continue
		}
		var values []string
		for _, w := range l.Values {
			values = append(values, fmt.Sprintf("%s (%s)", oneLine(h.shown(shown(w.Value, w.Text))), names[w.By]))
		}
		parts = append(parts, oneLine(l.Key)+" = "+strings.Join(values, " or "))
	}
	return few(parts)
}

// circle is a cycle as arrows.
func circle(cycle []Dependency, names map[string]string) string {
	if len(cycle) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(names[cycle[0].From])
	for _, e := range cycle {
		arrow := e.Kind
		if e.Key != "" {
			arrow += glue + e.Key
		}
		fmt.Fprintf(&b, " ─%s→"+glue+"%s", arrow, names[e.To])
	}
	return b.String()
}

// glue stands for a space at which hang does not break a line.
const glue = "\x00"

// words splits a text at spaces; at those that are glued, and around an equals
// sign, only what is wider than most.
func words(s string, most int) (list []string) {
	for word := range strings.FieldsSeq(strings.ReplaceAll(s, " = ", glue+"="+glue)) {
		if cells(word) > most {
			list = append(list, strings.Split(word, glue)...)
		} else {
			list = append(list, strings.ReplaceAll(word, glue, " "))
		}
	}
	return list
}

// hang breaks a text at spaces into lines that begin with indent, or with as
// many spaces. A word that is wider than a line is broken too.
func hang(indent, s string) string {
	in := cells(indent)
	var b strings.Builder
	line, column := indent, in
	for _, word := range words(s, width-in) {
		n := cells(word)
		if column > in && column+1+n > width {
			b.WriteString(line + "\n")
			line, column = strings.Repeat(" ", in), in
		}
		if column > in {
			line, column = line+" ", column+1
		}
		for column+n > width {
			head := first(word, width-column)
			b.WriteString(line + head + "\n")
			word = word[len(head):]
			n = cells(word)
			line, column = strings.Repeat(" ", in), in
		}
		line, column = line+word, column+n
	}
	b.WriteString(line + "\n")
	return b.String()
}
