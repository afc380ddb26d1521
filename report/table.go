package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// width is how many columns a report may take.
const width = 100

// Violation renders a violation: a table of its operations, then what it breaks
// and why.
func (t *Text) Violation(v *Violation) string {
	rows := v.tell()
	body, cut := t.columns(v, rows)
	if body == "" {
		body, cut = t.list(v, rows)
	}
	var b strings.Builder
	b.WriteString("\n" + body + "\n")
	names := map[string]string{}
	for _, txn := range v.History.Transactions {
		names[txn.ID] = txn.Name
	}
	for _, f := range v.Failures {
		b.WriteString(t.paintLine(red, f.text(names)))
	}
	b.WriteString(v.Selection.text())
	if len(v.Failures) > 0 {
		b.WriteString("\n")
	}
	if why := t.why(v); why != "" {
		b.WriteString(why + "\n")
	}
	if full := inFull(cut); full != "" {
		b.WriteString(full + "\n")
	}
	return b.String()
}

// list has one row an operation, with the sessions' names: for more sessions
// than there is room for columns.
func (t *Text) list(v *Violation, rows []row) (body string, cut []string) {
	names := v.History.shortNames()
	cells := [][]string{{"", "session", "transaction", "operation", "from", "line"}}
	for _, txn := range v.History.Transactions {
		for _, e := range txn.Events {
			if txn.ID == initial {
				cells = append(cells, []string{"", initial, "", e.text(), "", ""})
			}
		}
	}
	for _, r := range rows {
		mark := ""
		if r.leaves {
			mark = "▶"
		}
		from := names[r.from]
		if r.from == own {
			from = "own write"
		}
		if r.misses != "" {
			from += ", not " + r.misses
		}
		cells = append(cells, []string{mark, r.session, r.name, r.op, from, r.at})
	}
	body, cut = fitted(cells)
	if v.Explanation != nil && v.Explanation.Leaves >= 0 {
		body += "\n  ▶ from here on no serial order explains what happens\n"
	}
	return body, cut
}

// text says what a failure breaks, and where.
func (f *Failure) text(names map[string]string) string {
	var b strings.Builder
	switch f.Kind {
	case "final", "invariant":
		fmt.Fprintf(&b, "  %s %q failed", f.Kind, f.Name)
	default:
		fmt.Fprintf(&b, "  %s in session %q", f.Kind, f.Session)
		if f.Transaction != "" {
			fmt.Fprintf(&b, ", transaction %q", names[f.Transaction])
		}
	}
	if f.At != "" {
		b.WriteString(" (" + f.At + ")")
	}
	head := b.String() + ":"
	b.Reset()
	message := strings.Split(f.Message, "\n")
	if first := head + " " + message[0]; utf8.RuneCountInString(first) <= width {
		head, message = first, message[1:]
	}
	b.WriteString(fold(head))
	for _, line := range message {
		b.WriteString(fold("    " + line))
	}
	for _, frame := range f.Stack {
		b.WriteString("    " + frame + "\n")
	}
	return b.String()
}

// fold breaks a line that is too wide at its spaces.
func fold(line string) string {
	var b strings.Builder
	for utf8.RuneCountInString(line) > width {
		cut := strings.LastIndexByte(string([]rune(line)[:width+1]), ' ')
		if cut <= len("    ") {
			break // one long word
		}
		b.WriteString(strings.TrimRight(line[:cut], " ") + "\n")
		line = "    " + strings.TrimLeft(line[cut:], " ")
	}
	b.WriteString(line + "\n")
	return b.String()
}

// fitted aligns rows of cells in columns, two spaces apart and indented by two.
// Where that is wider than a report may be, the widest columns are cut: the cells
// that are come back in full.
func fitted(rows [][]string) (text string, cut []string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			row[i] = oneLine(cell)
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	for total(widths) > width {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		widths[widest]--
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString("  " + pad(cell, widths[i]))
			if utf8.RuneCountInString(cell) > widths[i] {
				cut = append(cut, cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String(), cut
}

// table is a fitted table the cut cells of which are not needed in full.
func table(rows [][]string) string {
	text, _ := fitted(rows)
	return text
}

// inFull lists what did not fit into a table.
func inFull(cut []string) string {
	if len(cut) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("  in full\n")
	for _, s := range slices.Compact(cut) {
		b.WriteString(hang("    ", s))
	}
	return b.String()
}

// total is the width of columns with two spaces before each.
func total(widths []int) int {
	sum := 0
	for _, w := range widths {
		sum += 2 + w
	}
	return sum
}

// pad cuts s to w columns or fills it up.
func pad(s string, w int) string {
	n := utf8.RuneCountInString(s)
	if n > w {
		return string([]rune(s)[:max(w-1, 0)]) + "…"
	}
	return s + strings.Repeat(" ", w-n)
}

// oneLine keeps a cell in its row.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\n\r\t") {
		return s
	}
	return strings.NewReplacer("\n", "⏎", "\r", "", "\t", " ").Replace(s)
}
