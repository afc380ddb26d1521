package mock

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/isolation"
)

// An encoding that is not served is refused with a message that can be read, at the begin of a
// connection and later.
func TestEncodings(t *testing.T) {
	t.Parallel()
	_, dsn := start(t, Options{Level: isolation.RC}, accounts)
	for _, name := range []string{"WIN1252", "latin9", "EUC_JP", "sjis"} {
		_, err := pgx.Connect(t.Context(), dsn+"&client_encoding="+name)
		if err == nil || codeOf(err) != "0A000" || !strings.Contains(err.Error(), "does not have the client encoding "+name+": use UTF8") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"UTF8", "utf-8", "LATIN1", "SQL_ASCII"} {
		c := dial(t, dsn+"&client_encoding="+name)
		if got := answers(t, c, "SELECT 'abc'"); got != "abc" {
			t.Errorf("%s: %q", name, got)
		}
	}
	c := dial(t, dsn)
	for _, step := range []struct{ sql, want string }{
		{"SET client_encoding TO 'WIN1252'", "0A000"},
		{"SET NAMES 'SJIS'", "0A000"},
		{"SET client_encoding = UTF8", ""},
		{"SET NAMES 'utf8'", ""},
		{"SET client_encoding TO DEFAULT", ""},
	} {
		got := ""
		if _, err := c.Exec(t.Context(), step.sql); err != nil {
			got = codeOf(err)
		}
		if got != step.want {
			t.Errorf("%s: %q, want %q", step.sql, got, step.want)
		}
	}
	if got := answers(t, c, "SELECT 'é'"); got != "é" {
		t.Errorf("afterwards: %q", got)
	}
}
