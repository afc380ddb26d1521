package wire

import (
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// Messages that a server sends to its client in the middle of a statement.

// Notices are those among answers, as psql shows them, from a place on, and the place behind the last
// whole message.
func Notices(answers []byte, from int) (list []string, to int) {
	to = from
	for kind, body := range messages(answers[from:]) {
		to += 5 + len(body)
		n := &pgproto3.NoticeResponse{}
		if kind == 'N' && n.Decode(body) == nil {
			list = append(list, NoticeText(&pgconn.Notice{Severity: n.Severity, Message: n.Message, Detail: n.Detail, Hint: n.Hint}))
		}
	}
	return list, to
}

// NoticeText is a notice as psql shows it, without the last end of a line (libpq,
// pqBuildErrorMessage3, of its default verbosity).
func NoticeText(n *pgconn.Notice) string {
	var b strings.Builder
	b.WriteString(n.Severity + ":  " + n.Message)
	if n.Detail != "" {
		b.WriteString("\nDETAIL:  " + n.Detail)
	}
	if n.Hint != "" {
		b.WriteString("\nHINT:  " + n.Hint)
	}
	return b.String()
}
