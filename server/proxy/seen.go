package proxy

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// What sessions have seen tells outcomes apart. Two things of it SQL leaves open, and a server
// gives them as it happens to: numbers of transactions and places of rows, which never count,
// and the order of rows without ORDER BY, which counts apart when outcomes are compared.

// seen is what the sessions have seen, the same for equal outcomes.
func seen(c *program.Client, ends []*behaviour.Node) string { return seenAs(c, ends, false) }

// seenAs is seen; with unordered, rows that come in no order that was asked for are sorted.
func seenAs(c *program.Client, ends []*behaviour.Node, unordered bool) string {
	var b strings.Builder
	for i, end := range ends {
		fmt.Fprintf(&b, "%s:", c.SessionName(i))
		var asked strings.Builder // since the last answer
		for _, n := range end.Path() {
			for _, e := range n.Events {
				switch e.Kind {
				case behaviour.StatementEvent:
					asked.WriteString(e.Text + ";")
				case behaviour.ShownEvent:
					if text, ok := c.Value(e.Val).(string); ok {
						b.WriteString(answered(text, asked.String(), unordered))
					}
					asked.Reset()
				}
			}
		}
	}
	return b.String()
}

// answered is an answer to statements without what a server makes up.
func answered(text, asked string, unordered bool) string {
	if unordered && !ofOrder.MatchString(asked) {
		text = wire.Unordered(text)
	}
	if !ofSystem.MatchString(asked) {
		return unmadeSeen(text)
	}
	if changed, ok := wire.Changed(text, func(value []byte) string { return unnumbered([]byte(unmadeValue(value))) }); ok {
		return changed
	}
	return unmade(text)
}

var (
	ofSystem = regexp.MustCompile(`(?i)\b(xmin|xmax|cmin|cmax|ctid|txid_current\w*|pg_current_xact_id\w*|pg_snapshot_\w+)\b`)
	ofOrder  = regexp.MustCompile(`(?i)\border\s+by\b`)
	ofNumber = regexp.MustCompile(`[1-9]\d*`)
)

// unnumbered is a value with # for each number that is not 0: that xmax is 0 says something.
func unnumbered(value []byte) string {
	for _, c := range value {
		if c < ' ' || c > '~' { // a number in PostgreSQL's binary form
			if strings.Trim(string(value), "\x00") == "" {
				return "0"
			}
			return "#"
		}
	}
	return ofNumber.ReplaceAllString(string(value), "#")
}
