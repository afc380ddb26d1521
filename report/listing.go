package report

import (
	"fmt"
	"strings"
)

// Listed renders a history in a block: a line for each transaction. n counts
// the histories of the listing from 1.
func (t *Text) Listed(n int, l *Listed) string {
	var b strings.Builder
	if len(l.Schedule) > 0 {
		return fmt.Sprintf("outcome %d  %s  iso=%s\n", n, t.Name(l.Package, l.Program), l.Iso) + l.operations(none) + l.leaves() + "\n"
	}
	fmt.Fprintf(&b, "history %d  %s  iso=%s\n", n, t.Name(l.Package, l.Program), l.Iso)
	for i := range l.Transactions {
		txn := &l.Transactions[i]
		var items []string
		for _, e := range txn.Events {
			item := e.Op + " " + e.Key + " = " + shown(e.Value, e.Text)
			if e.From != "" {
				item += " from " + e.From
			}
			items = append(items, oneLine(item))
		}
		head := "  " + txn.ID
		if txn.ID != initial {
			head += " " + txn.Name
			items = append(items, oneLine(txn.end()))
		}
		b.WriteString(wrap(strings.TrimRight(oneLine(head), " ")+":", items))
	}
	for _, o := range l.Observations {
		fmt.Fprintf(&b, "  %s observes %s = %s\n", o.Session, o.Name, oneLine(shown(o.Value, o.Text)))
	}
	b.WriteString("\n")
	return b.String()
}

// wrap joins items by semicolons, in as many lines as it takes. It never cuts an
// item.
func wrap(head string, items []string) string {
	var b strings.Builder
	b.WriteString(head)
	column := cells(head)
	for i, item := range items {
		if i < len(items)-1 {
			item += ";"
		}
		n := 1 + cells(item)
		if column+n > width {
			b.WriteString("\n     ")
			column = 5
		}
		b.WriteString(" " + item)
		column += n
	}
	b.WriteString("\n")
	return b.String()
}
