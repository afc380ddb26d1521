package schema

import (
	"testing"

	"github.com/txmc/txmc/program/rows"
)

// Extensions that scripts use are made before, unless one of them makes them.
func TestExtended(t *testing.T) {
	uses := rows.Script{Name: "a.sql", Text: "CREATE TABLE t (id uuid DEFAULT uuid_generate_v4(), mail CITEXT)"}
	makes := rows.Script{Name: "0.sql", Text: `create extension if not exists "uuid-ossp"; CREATE EXTENSION citext;`}
	if got := Extended([]rows.Script{uses}); len(got) != 2 || got[0].Text != "CREATE EXTENSION IF NOT EXISTS \"uuid-ossp\";\nCREATE EXTENSION IF NOT EXISTS \"citext\";\n" {
		t.Errorf("%+v", got)
	}
	if got := Extended([]rows.Script{makes, uses}); len(got) != 2 {
		t.Errorf("%+v", got)
	}
	if got := Extended([]rows.Script{{Text: "CREATE TABLE t (id uuid DEFAULT gen_random_uuid())"}}); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}
