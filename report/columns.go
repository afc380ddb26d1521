package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Limits of the layout with a column for each session.
const (
	narrow   = 12 // a column is at least as wide, and as wide as its name,
	narrower = 8  // or when there are many sessions, so wide
	lastRoom = 34 // the last column has at least as much, or all that it needs
	leastOp  = 16 // of an operation that is cut so much is left, or else the end goes
)

// notSerial is told before the first operation that no serial order explains.
const notSerial = "no serial order explains what follows"

// columns lays out rows with the source lines on the left and a column for each
// session. A line has one operation. So a cell may go on over the columns to its right
// where there is not enough room for all columns. Then the beginning of an operation
// tells sessions apart.
type columns struct {
	text  *Text
	names map[string]string
	// sessions in the order of the columns; of the last session, which comes
	// after all others, the rows stand below them.
	sessions []string
	gutter   int      // width of the source lines
	start    []int    // where columns begin, after the gutter
	cut      []string // rows that did not fit, in full
}

// columns returns "" when there are too many sessions. What did not fit into a row
// comes back in full.
func (t *Text) columns(v *Violation, rows []row) (body string, cut []string) {
	c := &columns{text: t, names: v.History.shortNames()}
	for _, r := range rows {
		if r.session != final && !slices.Contains(c.sessions, r.session) {
			c.sessions = append(c.sessions, r.session)
		}
	}
	slices.SortStableFunc(c.sessions, func(a, b string) int { return v.rank(a) - v.rank(b) })
	if len(c.sessions) == 0 || !c.arrange(rows, narrow) && !c.arrange(rows, narrower) {
		return "", nil
	}
	body = c.draw(v, rows)
	return body, c.cut
}

// rank is where a session stands in the history; those with observations only
// come last.
func (v *Violation) rank(session string) int {
	for i, t := range v.History.Transactions {
		if t.Session == session {
			return i
		}
	}
	return len(v.History.Transactions)
}

// cell is what a row says in a session's column.
func (c *columns) cell(r row) string {
	op, from := c.parts(r)
	return op + from
}

// parts returns the operation of a row, and the writer of the value that it reads.
func (c *columns) parts(r row) (op, from string) {
	switch {
	case r.op == "begin":
		return oneLine(strings.TrimSpace("begin " + r.begin)), ""
	case r.from == own:
		from = " ← own write"
	case r.from != "":
		from = " ← " + c.names[r.from]
	}
	if r.misses != "" {
		from += ", not " + r.misses
	}
	return oneLine(r.op), oneLine(from)
}

// fit cuts what a row says to the room there is: the value rather than where it is
// from.
func (c *columns) fit(r row, room int) string {
	op, from := c.parts(r)
	if left := room - cells(from); left >= min(leastOp, cells(op)) {
		return pad(op, left) + from
	}
	return pad(op+from, room)
}

// arrange decides where columns begin, which are at least so wide; false when
// there is no room.
func (c *columns) arrange(rows []row, narrow int) bool {
	widths := make([]int, len(c.sessions))
	for i, s := range c.sessions {
		widths[i] = max(cells(oneLine(s)), narrow)
	}
	least := slices.Clone(widths)
	for _, r := range rows {
		c.gutter = max(c.gutter, cells(r.at))
		if i := slices.Index(c.sessions, r.session); i >= 0 {
			widths[i] = max(widths[i], cells(c.cell(r)))
		}
	}
	last := len(widths) - 1
	for total(widths) > c.room()+2 {
		widest := -1
		for i := range last {
			if widths[i] > least[i] && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	at := 0
	c.start = nil
	for _, w := range widths {
		c.start = append(c.start, at)
		at += w + 2
	}
	return c.room()-c.start[last] >= min(widths[last], lastRoom)
}

// room is what a line has for all columns.
func (c *columns) room() int { return width - len("  ") - c.gutter - len("  ") }

func (c *columns) draw(v *Violation, rows []row) string {
	var b strings.Builder
	if init := v.History.initially(); init != "" {
		b.WriteString(hang("  "+pad("init", c.gutter)+"  ", init) + "\n")
	}
	var head strings.Builder
	for i, s := range c.sessions {
		head.WriteString(pad("", c.start[i]-cells(head.String())) + oneLine(s))
	}
	b.WriteString("  " + pad("", c.gutter) + "  " + c.text.paint(bold, head.String()) + "\n")
	after := false
	for _, r := range rows {
		if r.session == final && !after {
			after = true
			b.WriteString("\n  " + pad("", c.gutter) + "  " + c.text.paint(bold, "final, after all sessions") + "\n")
		}
		if r.nonSerial {
			b.WriteString(c.text.paint(red, "  "+strings.Repeat("─", c.gutter)+"  ── "+notSerial+" "+strings.Repeat("─", max(2, c.widest(rows)-len(notSerial)-4))) + "\n")
		}
		b.WriteString(c.line(r))
	}
	return b.String()
}

// line is a row, without spaces at its end.
func (c *columns) line(r row) string {
	at := 0
	if i := slices.Index(c.sessions, r.session); i >= 0 {
		at = c.start[i]
	}
	cell := c.cell(r)
	if room := c.room() - at; cells(cell) > room {
		c.cut = append(c.cut, cmp.Or(r.full, cell))
		cell = c.fit(r, room)
	}
	style := plain
	switch {
	case r.nonSerial:
		style = red
	case r.misses != "":
		style = yellow
	}
	line := "  " + c.text.paint(dim, pad(r.at, c.gutter)) + "  " + pad("", at) + c.text.paint(style, cell)
	return strings.TrimRight(line, " ") + "\n"
}

// widest is how far to the right the rows go.
func (c *columns) widest(rows []row) int {
	most := 0
	for _, r := range rows {
		if i := slices.Index(c.sessions, r.session); i >= 0 {
			most = max(most, min(c.start[i]+cells(c.cell(r)), c.room()))
		}
	}
	return most
}

// initially tells the initial values.
func (h *History) initially() string {
	var parts []string
	quiet := h.spoken()
	for _, t := range h.Transactions {
		if t.ID != initial {
			continue
		}
		for _, e := range t.Events {
			if quiet && e.plain() {
				continue
			}
			parts = append(parts, oneLine(e.Key+" = "+shown(e.Value, e.Text)))
		}
	}
	return few(parts)
}

// mostValues is how many variables are listed with their values; of more they are counted.
const mostValues = 40

// few lists the first of many values.
func few(parts []string) string {
	if n := len(parts); n > mostValues {
		parts = append(parts[:mostValues:mostValues], fmt.Sprintf("… and %d more", n-mostValues))
	}
	return strings.Join(parts, ", ")
}
