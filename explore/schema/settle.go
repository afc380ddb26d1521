package schema

import (
	"regexp"
	"strings"

	"github.com/txmc/txmc/program/rows"
)

// Settling is the work on scripts of which some statements may fail: those that make nothing in which transactions
// meet. A server has roles, extensions and rows that are not there.
type Settling struct {
	Scripts []rows.Script // without the statements that are left out
	Left    []rows.Failed
}

// harmless matches the statements that may be left out.
var harmless = regexp.MustCompile(`(?is)^(?:` + strings.Join([]string{
	`CREATE\s+EXTENSION`, `COMMENT\b`, `GRANT\b`, `REVOKE\b`, `(?:CREATE|ALTER|DROP)\s+(?:ROLE|USER|GROUP|DATABASE|TABLESPACE|PUBLICATION|SUBSCRIPTION|SERVER|SYSTEM)\b`,
	`ALTER\s+DEFAULT\s+PRIVILEGES`, `ALTER\b.*\bOWNER\s+TO\b`, `ALTER\s+EXTENSION`, `DROP\b`, `SET\b`, `RESET\b`, `SELECT\b`, `INSERT\b`, `UPDATE\b`, `DELETE\b`, `REPLACE\b`, `TRUNCATE\b`, `COPY\b`,
	`ANALYZE\b`, `VACUUM\b`, `REINDEX\b`, `CREATE\s+INDEX\b`, `SECURITY\s+LABEL`, `FLUSH\b`, `USE\b`, `(?:UN)?LOCK\s+TABLES?\b`, `ALTER\s+TABLE\s+\S+\s+(?:DISABLE|ENABLE)\s+KEYS`, `NOTIFY\b`,
}, "|") + `)`)

// Leave leaves a statement out that has failed, where that is harmless.
func (s *Settling) Leave(f rows.Failed) bool {
	text := rows.WithoutComment(f.Statement)
	if !harmless.MatchString(strings.TrimSpace(text)) {
		return false
	}
	for i := range s.Scripts {
		t := s.Scripts[i].Text
		if s.Scripts[i].Name == f.Name && f.At >= 0 && f.At+len(f.Statement) <= len(t) {
			s.Scripts[i].Text = t[:f.At] + blank(t[f.At:f.At+len(f.Statement)]) + t[f.At+len(f.Statement):]
		}
	}
	s.Left = append(s.Left, f)
	return true
}

// blank is a text of as many bytes and lines with nothing in it.
func blank(text string) string {
	b := []byte(text)
	for i := range b {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
	return string(b)
}

// Text is all scripts as one.
func (s *Settling) Text() string {
	var texts []string
	for _, script := range s.Scripts {
		texts = append(texts, script.Text)
	}
	return strings.Join(texts, "\n;\n")
}
