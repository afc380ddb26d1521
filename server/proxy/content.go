package proxy

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/report"
)

// Each execution begins with the rows that schema and seed have made. They are kept in
// tables of the proxy's own, and copied back where something may have been written.
// Tables get new files by TRUNCATE: so rows lie in them as they did at first. Where the
// user may not turn triggers and foreign keys off for it, schema and seed run again.

// kept is what is in the database before any session.
type kept struct {
	tables  []table
	restore string // the statements that put all back
}

// table is a table with rows of its own.
type table struct {
	name string // as SQL has it, with its schema
	rows string // a query of its rows as text
}

// own says of a schema n that it is the user's.
const own = "n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', '" + Schema + "')"

// Capture keeps what is in the database.
func (s *Postgres) Capture(ctx context.Context) (c Content, err error) {
	s.kept = kept{}
	rows, err := s.query(ctx, `SELECT k.oid, format('%I.%I', n.nspname, k.relname),
			coalesce((SELECT string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
				WHERE a.attrelid = k.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''), ''),
			coalesce((SELECT string_agg(format('%L || CASE WHEN %I IS NULL THEN ''NULL'' ELSE format(''%%s'', %2$I) END', a.attname || ':', a.attname),
				' || '' '' || ' ORDER BY a.attname COLLATE "C") FROM pg_attribute a
				WHERE a.attrelid = k.oid AND a.attnum > 0 AND NOT a.attisdropped), ''''''),
			k.relname, k.relkind
		FROM pg_class k JOIN pg_namespace n ON n.oid = k.relnamespace WHERE k.relkind IN ('r', 'p') AND `+own+` ORDER BY k.oid`)
	if err != nil {
		return c, err
	}
	var keep, names, back []string
	for i, row := range rows {
		if row[5] == "p" { // its rows are in its partitions; foreign keys may be its own
			names = append(names, row[1])
			continue
		}
		s.kept.tables = append(s.kept.tables, table{row[1], fmt.Sprintf("SELECT %s, '{' || %s || '}' FROM ONLY %s", quoted(row[4]), row[3], row[1])})
		if names = append(names, "ONLY "+row[1]); row[2] == "" {
			continue
		}
		keep = append(keep, fmt.Sprintf("CREATE TABLE %s.t%d AS SELECT %s FROM ONLY %s", Schema, i, row[2], row[1]))
		back = append(back, fmt.Sprintf("INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT * FROM %s.t%d", row[1], row[2], Schema, i))
	}
	if err := s.run(ctx, strings.Join(keep, ";")); err != nil {
		return c, fmt.Errorf("cannot keep the first rows: %w", err)
	}
	if len(names) > 0 {
		back = append([]string{"TRUNCATE " + strings.Join(names, ", ")}, back...)
	}
	sequences, err := s.sequences(ctx)
	if err != nil {
		return c, err
	}
	c.Sequences = len(sequences) > 0
	s.kept.restore = strings.Join(append(back, sequences...), ";")
	if c.Plain, err = s.plain(ctx); err != nil {
		return c, err
	}
	return c, s.madeRoles(ctx)
}

// sequences are the statements that put sequences back.
func (s *Postgres) sequences(ctx context.Context) (list []string, err error) {
	names, err := s.query(ctx, `SELECT format('%I.%I', n.nspname, k.relname) FROM pg_class k JOIN pg_namespace n ON n.oid = k.relnamespace
		WHERE k.relkind = 'S' AND `+own+` ORDER BY k.oid`)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		at, err := s.query(ctx, "SELECT last_value, is_called FROM "+name[0])
		if err != nil {
			return nil, err
		}
		list = append(list, fmt.Sprintf("SELECT setval(%s, %s, '%s')", quoted(name[0]), at[0][0], at[0][1]))
	}
	return list, nil
}

// quoted is a literal of a text.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// plain asks whether statements have no effects that they do not name: by triggers,
// rules, functions of the user's, and foreign keys that write.
func (s *Postgres) plain(ctx context.Context) (bool, error) {
	rows, err := s.query(ctx, `SELECT
		(SELECT count(*) FROM pg_trigger t WHERE NOT t.tgisinternal)
		+ (SELECT count(*) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE `+own+`)
		+ (SELECT count(*) FROM pg_rewrite r JOIN pg_class k ON k.oid = r.ev_class JOIN pg_namespace n ON n.oid = k.relnamespace WHERE `+own+`)
		+ (SELECT count(*) FROM pg_policy)
		+ (SELECT count(*) FROM pg_inherits)
		+ (SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND (confupdtype NOT IN ('a', 'r') OR confdeltype NOT IN ('a', 'r')))`)
	return err == nil && rows[0][0] == "0", err
}

// Reset puts the first rows back.
func (s *Postgres) Reset(ctx context.Context) error {
	err := s.run(ctx, "SET lock_timeout = '10s'; SET session_replication_role = replica;"+s.kept.restore)
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && refused.Code == "42501": // insufficient privilege
		return ErrRebuild
	case errors.As(err, &refused) && refused.Code == "55P03":
		return errors.New("another client of the server holds locks on the program's tables: end it, or give a database of its own by --dsn")
	case err != nil:
		return fmt.Errorf("cannot put the first rows back: %w", err)
	}
	return nil
}

// Left are the rows of all tables.
func (s *Postgres) Left(ctx context.Context) (list []report.Assigned, err error) {
	var ask []string
	for _, t := range s.kept.tables {
		ask = append(ask, t.rows)
	}
	if len(ask) == 0 {
		return nil, nil
	}
	rows, err := s.query(ctx, strings.Join(ask, " UNION ALL "))
	for _, cells := range rows {
		list = append(list, report.Assigned{Key: cells[0], Value: cells[1]})
	}
	return list, err
}

// Clear empties the database: nothing is left in it but a schema public. Roles that the last program's schema has made
// go too.
func (s *Postgres) Clear(ctx context.Context) error {
	if err := clearDatabase(ctx, s.monitor); err != nil {
		return err
	}
	return s.dropRoles(ctx)
}

// clearDatabase removes all that is the user's, and the proxy's own, from a database; the
// proxy's own schema is made anew.
func clearDatabase(ctx context.Context, c *pgconn.PgConn) error {
	run := func(sql string) ([]*pgconn.Result, error) { return c.Exec(ctx, sql).ReadAll() }
	results, err := run(`SET lock_timeout = '10s'; SET client_min_messages = error;
		SELECT nspname FROM pg_namespace n WHERE ` + own + ` OR n.nspname = '` + Schema + `' ORDER BY 1`)
	if err != nil {
		return err
	}
	drops := []string{"SELECT lo_unlink(oid) FROM pg_largeobject_metadata"}
	for _, cells := range results[len(results)-1].Rows {
		drops = append(drops, "DROP SCHEMA "+pgx.Identifier{string(cells[0])}.Sanitize()+" CASCADE")
	}
	drops = append(drops, "CREATE SCHEMA public", "GRANT USAGE ON SCHEMA public TO PUBLIC", "CREATE SCHEMA "+Schema)
	if _, err := run(strings.Join(drops, ";")); err != nil {
		return fmt.Errorf("cannot empty the database: %w", err)
	}
	return nil
}
