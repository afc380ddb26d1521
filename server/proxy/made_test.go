package proxy_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/proxy"
)

// votes adds posts, whose ids and times the server makes up, and reads its own again; update
// counts a vote.
func votes(update string) func(*program.Program) {
	return func(p *program.Program) {
		db := pg.New(p, pg.Schema(`CREATE TABLE posts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), title text NOT NULL, votes int NOT NULL DEFAULT 0,
			created_at timestamptz NOT NULL DEFAULT now(), due timestamptz DEFAULT now() + interval '30 days 1 ms', day date NOT NULL DEFAULT current_date)`), pg.Seed("INSERT INTO posts (title) VALUES ('first')"))
		for i := range 2 {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				ctx, c := context.Background(), db.Open(s)
				var id string
				var at time.Time
				if c.QueryRowContext(ctx, "INSERT INTO posts (title) VALUES ($1) RETURNING id, created_at", fmt.Sprint("post ", i)).Scan(&id, &at) != nil {
					return
				}
				var title string
				if c.QueryRowContext(ctx, "SELECT title FROM posts WHERE id = $1", id).Scan(&title) == nil {
					s.Observe("own", title)
				}
				tx, err := c.Begin()
				if err != nil {
					return
				}
				defer tx.Rollback()
				var n int
				if tx.QueryRowContext(ctx, "SELECT votes FROM posts WHERE title = 'first'").Scan(&n) != nil {
					return
				}
				if _, err := tx.ExecContext(ctx, update, n+1); err == nil {
					_ = tx.Commit()
				}
			})
		}
		p.Serializable("serializable")
	}
}

// What a server makes up makes no outcome: a program that is right has one, on the server
// and under the model, and one with a lost update is told and confirmed.
func TestMadeUpValues(t *testing.T) {
	deadlinetest.Long(t)
	const right, wrong = "UPDATE posts SET votes = votes + 1 WHERE title = 'first' AND $1::int > 0", "UPDATE posts SET votes = $1, created_at = now() WHERE title = 'first'"
	_, dsn := start(t)
	claim(t, dsn)
	for update, violations := range map[string]int{right: 0, wrong: 1} {
		e := onServer{at: explore.OnServer{DSN: dsn}}.run(t, t.Context(), votes(update), isolation.PgRC)
		if err := e.only(t); err != nil {
			t.Fatal(err)
		}
		if list := of[*report.Violation](e); len(list) != violations {
			t.Errorf("%d violations on the server: %s", len(list), update)
		}
		e = onServer{at: explore.OnServer{DSN: dsn, Compare: true}}.run(t, t.Context(), votes(update), isolation.PgRC)
		for _, c := range of[*report.ServerComparison](e) {
			if len(c.OnlyServer)+len(c.OnlyModel) > 0 || !c.Complete || c.Outcomes == 0 {
				t.Errorf("%d only on the server, %d only under the model, %d on both: %s", len(c.OnlyServer), len(c.OnlyModel), c.Outcomes, update)
			}
		}
		if n := len(of[*report.ServerComparison](e)); n != 1 {
			t.Errorf("%d comparisons", n)
		}
	}
	e := onServer{at: explore.OnServer{DSN: dsn, Confirm: true}}.run(t, t.Context(), votes(wrong), isolation.PgRC)
	list := of[*report.Violation](e)
	if len(list) == 0 || list[0].Confirmation.Verdict != report.Confirmed {
		t.Errorf("%d violations, the first: %s", len(list), list[0].Confirmation.Text())
	}
}

func TestUnmade(t *testing.T) {
	today := time.Now().UTC()
	for text, want := range map[string]string{
		"{n:12 id:1000000005}":                         "{n:12 id:#}",
		"id:b28dd8b5-13f5-450f-b6b7-d7be25672795 n":    "id:# n",
		"at:2030-05-01 day:2024-02-29":                 "at:2030-05-01 day:2024-02-29",
		"at:2030-05-01 10:00:00 n":                     "at:2030-05-01 10:00:00 n",
		"at:2030-05-01 10:00:00.015+02 n":              "at:# n",
		"at:2026-01-01 00:00:00+00 n":                  "at:# n",
		today.Format("at:2006-01-02T15:04:05Z07:00 n"): "at:# n",
		today.Format("day:2006-01-02 n"):               "day:# n",
		`at:"2030-05-01 10:00:00.015" n`:               "at:# n",
		"2030-13-99":                                   "2030-13-99",
	} {
		if got := proxy.Unmade(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

// Blanks in JSON do not count on a server that keeps those that were sent, and on no other.
func TestAlike(t *testing.T) {
	for text, want := range map[string]string{
		`d = {id:1 d:"{\"n\": 5, \"m\": [1, 2]}"}`: `d = {id:1 d:"{\"n\":5,\"m\":[1, 2]}"}`,
		`[["{\"n\":5}" "{\"a\":1}"]]`:              `[["{\"n\":5}" "{\"a\":1}"]]`,
	} {
		if got := proxy.Alike(text, true); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
		if got := proxy.Alike(text, false); got != text {
			t.Errorf("%q is %q where the server writes JSON itself", text, got)
		}
	}
}

// Of an error of MySQL the number is compared: versions word it differently.
func TestBareErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[\"pay: Error 1690 (22003): BIGINT UNSIGNED value is out of range in '(`shop`.`a` - \\\"1\\\")'\",7]": `["pay: Error 1690 (22003)",7]`,
		`["Error 12 (22003): x"]`: `["Error 12 (22003): x"]`,
		`["no credit"]`:           `["no credit"]`,
	} {
		if got := proxy.BareError(text); got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}
