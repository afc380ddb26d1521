package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// width is how many columns a report may take.
const width = 100

// Violation renders a violation: one row an operation in an order in which it
// happens, then what it breaks.
func (t *Text) Violation(v *Violation) string {
	rows := [][]string{{"session", "transaction", "operation", "from", "line"}}
	names := map[string]string{}
	for _, txn := range v.History.Transactions {
		names[txn.ID] = txn.Name
	}
	rows = append(rows, v.rows(names)...)
	var b strings.Builder
	b.WriteString("\n" + table(rows) + "\n")
	for _, f := range v.Failures {
		b.WriteString(f.text(names))
	}
	b.WriteString("\n")
	return b.String()
}

// rows lists the operations of the history in the violation's order.
func (v *Violation) rows(names map[string]string) [][]string {
	byID := map[string]*Transaction{}
	for i := range v.History.Transactions {
		byID[v.History.Transactions[i].ID] = &v.History.Transactions[i]
	}
	var rows [][]string
	observed := make([]bool, len(v.History.Observations))
	// observe appends the observations that pick chooses.
	observe := func(name string, pick func(*Observation) bool) {
		for i := range v.History.Observations {
			if o := &v.History.Observations[i]; !observed[i] && pick(o) {
				observed[i] = true
				rows = append(rows, []string{o.Session, name, "observe " + o.Name + " = " + shown(o.Value, o.Text), "", o.At})
			}
		}
	}
	for _, id := range v.Order {
		t := byID[id]
		if t == nil {
			continue
		}
		if t.Index == 1 {
			observe("", func(o *Observation) bool { return o.Session == t.Session && o.After == "" })
		}
		if id == initial {
			for _, e := range t.Events {
				rows = append(rows, []string{initial, "", e.text(), "", ""})
			}
			continue
		}
		rows = append(rows, []string{t.Session, t.Name, "begin", "", t.At})
		for i, e := range t.Events {
			observe(t.Name, func(o *Observation) bool { return o.After == id && o.Open && o.Events <= i })
			rows = append(rows, []string{t.Session, t.Name, e.text(), origin(e.From, names), e.At})
		}
		observe(t.Name, func(o *Observation) bool { return o.After == id && o.Open })
		rows = append(rows, []string{t.Session, t.Name, t.end(), "", ""})
		observe("", func(o *Observation) bool { return o.After == id })
	}
	observe("", func(*Observation) bool { return true })
	return rows
}

// text is an operation in words.
func (e *Event) text() string {
	return fmt.Sprintf("%-5s %s = %s", e.Op, e.Key, shown(e.Value, e.Text))
}

// end is a transaction's last row.
func (t *Transaction) end() string {
	if t.Status != "aborted" {
		return strings.Replace(t.Status, "committed", "commit", 1)
	}
	if t.Error == "" {
		return "abort"
	}
	return "abort: " + t.Error
}

// origin says which transaction a read reads from.
func origin(from string, names map[string]string) string {
	switch {
	case from == "":
		return ""
	case from == own:
		return "its own write"
	case from == initial:
		return "from init"
	}
	return strings.TrimRight("from "+from+" "+names[from], " ")
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

// table aligns rows of cells in columns, two spaces apart and indented by two.
// Where that is wider than a report may be, the widest columns are cut.
func table(rows [][]string) string {
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
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

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
