package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// width is how many columns a report may take.
const width = 80

// Violation renders a violation: a table of its operations, then what it breaks
// and why.
func (t *Text) Violation(v *Violation) string {
	if len(v.Schedule) > 0 {
		return t.executed(v)
	}
	rows := v.shortened(v.tableRows())
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
	b.WriteString(v.irrelevant())
	if len(v.Failures) > 0 {
		b.WriteString("\n")
	}
	if why := t.why(v); why != "" {
		b.WriteString(why + "\n")
	}
	if said := v.Confirmation.Text(); said != "" {
		b.WriteString(said + "\n")
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
	lines := [][]string{{"", "session", "transaction", "operation", "from", "line"}}
	full := map[string]string{} // what is read or written, by operation
	for _, txn := range v.History.Transactions {
		for i, e := range txn.Events {
			if txn.ID == initial && i == mostValues {
				lines = append(lines, []string{"", initial, "", fmt.Sprintf("… and %d more", len(txn.Events)-i), "", ""})
			}
			if txn.ID == initial && i < mostValues {
				lines = append(lines, []string{"", initial, "", e.text(), "", ""})
				full[oneLine(e.text())] = e.assigned()
			}
		}
	}
	for _, r := range rows {
		mark := ""
		if r.nonSerial {
			mark = "▶"
		}
		from := names[r.from]
		if r.from == own {
			from = "own write"
		}
		if r.misses != "" {
			from += ", not " + r.misses
		}
		lines = append(lines, []string{mark, r.session, r.name, r.op, from, r.at})
		full[oneLine(r.op)] = r.full
	}
	body, cut = fitted(lines, slices.Index(lines[0], "operation"))
	for i, s := range cut {
		cut[i] = cmp.Or(full[s], s)
	}
	if v.Explanation != nil && v.Explanation.FirstNonSerial >= 0 {
		body += "\n  ▶ from here on no serial order explains what happens\n"
	}
	return body, cut
}

// text says what a failure breaks, and where.
func (f *Failure) text(names map[string]string) string {
	var b strings.Builder
	switch {
	case f.Unasserted:
		b.WriteString("  not serializable")
	case f.Kind == "final" || f.Kind == "invariant":
		fmt.Fprintf(&b, "  %s %q failed", f.Kind, f.Name)
	case f.Session == "": // an Invariant has panicked
		fmt.Fprintf(&b, "  %s in invariant %q", f.Kind, f.Name)
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
	for i, line := range message {
		message[i] = oneLine(line)
	}
	if one := head + " " + message[0]; cells(one) <= width {
		head, message = one, message[1:]
	}
	b.WriteString(fold(head))
	for _, line := range message {
		b.WriteString(fold("    " + line))
	}
	for _, frame := range f.Stack {
		b.WriteString(fold("    " + frame))
	}
	if f.Unasserted {
		b.WriteString(fold("    the program asserts nothing, so this was checked: p.Final, p.Invariant and s.Assert say what must hold"))
	}
	return b.String()
}

// fold breaks a line that is too wide at its spaces, in time linear in its length. A word
// that is wider than a line stays whole.
func fold(line string) string {
	var b strings.Builder
	text := strings.TrimLeft(line, " ")
	column, gap, begun := len(line)-len(text), 0, false
	b.WriteString(line[:column])
	for word := range strings.SplitSeq(text, " ") {
		n := cells(word)
		switch {
		case word == "":
			gap++
			continue
		case begun && column+gap+n > width:
			b.WriteString("\n    ")
			column = len("    ")
		default:
			b.WriteString(strings.Repeat(" ", gap))
			column += gap
		}
		b.WriteString(word)
		column, gap, begun = column+n, 1, true
	}
	b.WriteString("\n")
	return b.String()
}

// fitted aligns rows of cells in columns, two spaces apart and indented by two. Where
// that is wider than a report may be, the widest columns are cut. The column keep is
// cut only when the others are narrow. Cells that are cut come back in full.
func fitted(rows [][]string, keep int) (text string, cut []string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			row[i] = oneLine(cell)
			widths[i] = max(widths[i], cells(row[i]))
		}
	}
	for total(widths) > width {
		widest := keep
		for i, w := range widths {
			if i != keep && w > narrow && (widest == keep || w > widths[widest]) {
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
			if cells(cell) > widths[i] {
				cut = append(cut, cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String(), cut
}

// table is a fitted table the cut cells of which are not needed in full.
func table(rows [][]string) string {
	text, _ := fitted(rows, 0)
	return text
}

// inFull lists what did not fit into a table, each text once.
func inFull(cut []string) string {
	if len(cut) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("  in full\n")
	for i, s := range cut {
		if !slices.Contains(cut[:i], s) {
			b.WriteString(hang("    ", s))
		}
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
