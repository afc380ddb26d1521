// Package page renders violations as one self-contained HTML file: a diagram
// whose steps can be played, and the explanation beside it. The page needs no
// network; its data are the JSON objects of package report.
package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/report"
)

// mostBytes bounds the data of a page, so that the file stays below 1 MiB.
const mostBytes = 900 << 10

// Page is what a file shows.
type Page struct {
	Schema     int                 `json:"schema"`
	Results    []*report.Result    `json:"results"`
	Violations []*report.Violation `json:"violations"`
	// Tables are the tables of the violations, nil where the page shows the events.
	Tables []*report.StepTable `json:"told"`
	// LeftOut counts the violations for which there was no room: they are in the text and in the JSON.
	LeftOut int `json:"left_out"`
	// Glossary has the meanings of words that papers use.
	Glossary map[string]string `json:"glossary"`

	size int
}

// New returns an empty page.
func New() *Page {
	p := &Page{Schema: report.Schema, Results: []*report.Result{}, Violations: []*report.Violation{}, Tables: []*report.StepTable{}, Glossary: map[string]string{}}
	for _, t := range anomaly.Terms() {
		p.Glossary[t.Word] = t.Meaning
	}
	return p
}

// Add adds a violation, if there is room. Long texts of a violation that is too
// large by itself are cut.
func (p *Page) Add(v *report.Violation) {
	v, size := fit(v)
	var steps *report.StepTable
	if v != nil {
		steps = v.StepTable()
	}
	if steps != nil {
		size *= 3 // the rows say the same once more, in words
	}
	if v == nil || p.size+size > mostBytes {
		p.LeftOut++
		return
	}
	p.size += size
	p.Violations = append(p.Violations, v)
	p.Tables = append(p.Tables, steps)
}

// The parts of the page.
var (
	//go:embed page.html
	frame string
	//go:embed style.css
	style string
	//go:embed model.js
	model string
	//go:embed diagram.js
	diagram string
	//go:embed app.js
	app string
)

// Write writes the page. The data are safe inside a script element: json.Marshal
// escapes <, > and &.
func (p *Page) Write(w io.Writer) error {
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("the violations have no JSON form: %w", err)
	}
	// Every harness is linked with this, and a template's reflection would make
	// that a third slower.
	parts := strings.NewReplacer("{{.Style}}", style, "{{.Data}}", string(data), "{{.Script}}", model+diagram+app)
	_, err = parts.WriteString(w, frame)
	return err
}
