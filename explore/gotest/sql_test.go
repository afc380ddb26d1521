package gotest

import (
	"context"
	"database/sql"
	"flag"
	"strings"
	"testing"

	_ "github.com/lib/pq"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// exploreVotes: two voters count the votes and add one, where one is allowed.
func exploreVotes(p *program.Program) {
	db := pg.New(p, pg.Schema("CREATE TABLE vote (id bigserial PRIMARY KEY)"))
	for _, voter := range []string{"a", "b"} {
		p.Session(voter, func(s *program.Session) {
			if err := vote(db.DSN(s)); err != nil {
				s.Assert(false, err)
			}
		})
	}
	db.Final("votes", func(ctx context.Context, db *sql.DB) error {
		var n int
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM vote").Scan(&n); err != nil {
			return err
		}
		return program.Assertf(n == 1, "%d votes", n)
	})
}

// vote is an application's code, on a driver that knows nothing of the test.
func vote(dsn string) error {
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM vote").Scan(&n); err != nil || n > 0 {
		return err
	}
	if _, err := tx.Exec("INSERT INTO vote DEFAULT VALUES"); err != nil {
		return err
	}
	return tx.Commit()
}

var long = flag.Bool("long", false, "check a program in SQL at more levels")

// A SQL program is checked in a test as others are, in a build without the overlay.
func TestSQL(t *testing.T) {
	client, err := program.NewClient("exploreVotes", exploreVotes, program.Options{})
	if err != nil && strings.Contains(err.Error(), "TXMC_PGLITE") {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	client.Park()
	Run(t, exploreVotes, Levels(isolation.SER))
	levels := map[isolation.Level]verdict{isolation.PgRC: broken, isolation.SER: holds}
	if *long || deadlinetest.Full() {
		levels[isolation.SI], levels[isolation.RC], levels[isolation.PgRR] = broken, broken, broken
	}
	for iso, want := range levels {
		c, err := configure([]Option{Levels(iso)})
		if err != nil {
			t.Fatal(err)
		}
		o := c.Program()
		o.Recheck = sqltest.Recheck(t)
		client, err := program.NewClient("exploreVotes", exploreVotes, o)
		if err == nil && iso.Database() != isolation.NoDatabase {
			client, err = client.DatabaseAt(iso.String())
		}
		if err != nil {
			t.Fatal(err)
		}
		got := (&level{config: *c, pkg: "p", client: client, iso: iso}).explore(t.Context())
		if got.verdict != want || want == broken && (!strings.Contains(got.text, "2 votes") || !strings.Contains(got.text, "SELECT count(*) FROM vote")) {
			t.Errorf("%v: verdict %d, want %d:\n%s", iso, got.verdict, want, got.text)
		}
		said := strings.Join(strings.Fields(got.text), " ")
		if hides := iso == isolation.SER; hides != strings.Contains(said, "the levels that the code asks for, which were not checked: leave out txmc.Levels") {
			t.Errorf("%v: that it takes the place of others is said, or not said:\n%s", iso, got.text)
		}
	}
}

// Where no level is asked for, a SQL program is checked on PostgreSQL, and another one at
// snapshot isolation; a way to search is for axiomatic levels.
func TestUsualLevels(t *testing.T) {
	plain := func(p *program.Program) { p.Session("s", func(*program.Session) {}) }
	inSQL := func(p *program.Program) { p.HasModel("postgres"); plain(p) }
	for name, test := range map[string]struct {
		explore func(*program.Program)
		opts    []Option
		want    isolation.Level
	}{
		"SQL": {inSQL, nil, isolation.PgRC}, "SQL with a level": {inSQL, []Option{Levels(isolation.CC)}, isolation.CC},
		"SQL with an engine": {inSQL, []Option{Engine("serial")}, isolation.SI}, "another": {plain, nil, isolation.SI},
		"MySQL": {func(p *program.Program) { p.HasModel("mysql"); plain(p) }, nil, isolation.InnoRR},
	} {
		c, err := configure(test.opts)
		if err != nil {
			t.Fatal(err)
		}
		client, err := program.NewClient("explore", test.explore, c.Program())
		if err != nil {
			t.Fatal(err)
		}
		if c.usual(client); len(c.Levels) != 1 || c.Levels[0] != test.want {
			t.Errorf("%s: %v, want %v", name, c.Levels, test.want)
		}
	}
}
