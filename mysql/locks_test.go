package mysql

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

var (
	locksEvery = flag.Int("locks-every", 137, "of the cases of locks that are compared with a server's list, every so manieth")
	locksFrom  = flag.Int("locks-from", 0, "the first of them")
	locksIn    = flag.String("locks-in", "", "only of tables whose name has this")
)

var lockLevels = map[string]string{"rc": "innodb-rc", "rr": "innodb-rr", "rr-si": "innodb-rr-si", "ser": "innodb-ser"}

// TestLocksOnServer: after each statement, a transaction has the locks that a MariaDB server
// lists, which the test starts where one is installed.
func TestLocksOnServer(t *testing.T) {
	server := scratchtest.Start(t, scratch.MariaDB, map[string]string{"innodb-flush-log-at-trx-commit": "0", "innodb-doublewrite": "0"})
	s := newOnServer(t, server.DSN(""), 2)
	for _, level := range mariadb.Levels {
		for _, p := range slices.Concat(scans(), written(), referring(), joined(), referenced()) {
			if !strings.Contains(p.name, *locksIn) {
				continue
			}
			t.Run(level+"/"+p.name, func(t *testing.T) { p.compare(t, s, level) })
		}
	}
}

// compare compares the cases of the tables at a level.
func (p *lockTables) compare(t *testing.T, s *onServer, level string) {
	c := newConfig([]Option{SchemaFunc(func(ctx context.Context, db *sql.DB) error { // which does not split a trigger
		for _, q := range p.schema {
			if _, err := db.ExecContext(ctx, q); err != nil {
				return fmt.Errorf("%s: %w", q, err)
			}
		}
		return nil
	}), Seed(strings.Join(p.rows, ";")), Database("test")})
	b, err := newModelled(c, lockLevels[level])
	if err != nil {
		t.Fatal(err)
	}
	n, differ := 0, 0
	for d, done := range p.done {
		fresh := true
		for i := (*locksFrom + d*7) % *locksEvery; i < len(p.cases); i += *locksEvery {
			n++
			report, err := p.compareCase(t, b, s, level, done, p.cases[i], fresh)
			if err != nil {
				t.Fatalf("%v, then %v: %v", done, p.cases[i], err)
			}
			fresh = !onlyReads(p.cases[i])
			if report != "" {
				if differ++; differ < 40 {
					t.Errorf("case %d, %v, then %v:\n%s", i, done, p.cases[i], report)
				}
			}
		}
	}
	t.Logf("%d cases, %d differ", n, differ)
}

func onlyReads(statements []string) bool {
	for _, q := range statements {
		if !strings.HasPrefix(q, "SELECT") {
			return false
		}
	}
	return true
}

// compareCase is how the locks of a transaction differ, or "". fresh: the server's tables are
// made anew.
func (p *lockTables) compareCase(t *testing.T, b *base, s *onServer, level string, done, statements []string, fresh bool) (report string, err error) {
	ctx := t.Context()
	m := newOnModel(t, b, 2)
	defer m.end()
	if fresh {
		if err := s.anew(ctx, p, level); err != nil {
			return "", err
		}
		for _, q := range done {
			if _, err := s.send(ctx, 1, q); err != nil {
				return "", err
			}
		}
	}
	for _, q := range done {
		if _, err := m.send(ctx, 1, q); err != nil {
			return "", err
		}
	}
	for _, c := range []conversation{m, s} {
		if _, err := c.send(ctx, 0, "START TRANSACTION"); err != nil {
			return "", err
		}
	}
	for _, q := range statements {
		if planned, err := s.planned(ctx, q); err != nil || !planned {
			break
		}
		if report, err = compareStatement(t, m, s, q); report != "" {
			plan, _ := s.explain(ctx, q)
			report += "\n  plan:   " + plan
			if strings.Contains(plan, "type=index ") && (strings.Contains(q, " OR ") || strings.Contains(q, " IN ")) {
				report = "" // costs decide whether it scans all of the index
				break
			}
		}
		if report != "" || err != nil {
			break
		}
	}
	if _, ended := s.send(ctx, 0, "ROLLBACK"); err == nil {
		err = ended
	}
	return report, err
}

// compareStatement is how a statement differs, or the locks after it.
func compareStatement(t *testing.T, m, s conversation, q string) (string, error) {
	ctx := t.Context()
	mine, err := m.send(ctx, 0, q)
	if err != nil {
		return "", err
	}
	real, err := s.send(ctx, 0, q)
	if err != nil {
		return "", err
	}
	if mine != real {
		return fmt.Sprintf("  %s\n  model:  %s\n  server: %s", q, mine, real), nil
	}
	got, written, err := m.covered(ctx)
	if err != nil {
		return "", err
	}
	want, _, err := s.covered(ctx)
	if errors.Is(err, errTooMany) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for _, c := range []covered{got, want} {
		for place, letters := range c {
			c[place] = strings.Replace(letters, "ISIX", "IX", 1) // IX has IS in it, whichever is taken first
		}
	}
	for place := range written { // a list may have the record's lock, and need not
		for _, c := range []covered{got, want} {
			if c[place] = "X" + c[place][min(1, len(c[place])):]; c[place] == "X" {
				c[place] = "X-"
			}
		}
	}
	if got.String() != want.String() {
		return fmt.Sprintf("  %s\n  model:  %s\n  server: %s", q, got, want), nil
	}
	return "", nil
}
