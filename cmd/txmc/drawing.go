package main

import (
	"fmt"
	"os"

	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/page"
	"golang.org/x/term"
)

// colours are for terminals only, and not for those who ask for none
// (no-color.org).
func colours(stdout *os.File) bool {
	return term.IsTerminal(int(stdout.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// draw prepares what the format needs.
func (o *output) draw(stdout *os.File) {
	o.text.Colour = (o.options.Output == "" || o.options.Format != "text") && colours(stdout)
	switch o.options.Format {
	case "dot":
		o.dot = &report.DOT{Text: *o.text}
		o.dot.Text.Colour = false
	case "html":
		o.page = page.New()
	}
}

// drawing reports whether violations are drawn and not told.
func (o *output) drawing() bool { return o.dot != nil || o.page != nil }

// verdict is what the output says of a result. What goes into a file with
// drawings nobody reads at once: the line is shown as well.
func (o *output) verdict(r *report.Result) string {
	if o.drawing() && o.file != nil {
		fmt.Fprint(o.stdout, o.text.Result(r))
	}
	switch {
	case o.dot != nil:
		return o.dot.Result(r)
	case o.page != nil:
		return ""
	}
	return o.text.Result(r)
}

// counterexample is what the output says of a violation at once.
func (o *output) counterexample(v *report.Violation) string {
	switch {
	case o.dot != nil:
		return o.dot.Violation(v)
	case o.page != nil:
		o.page.Add(v)
		return ""
	}
	return o.text.Violation(v)
}
