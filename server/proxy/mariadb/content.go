package mariadb

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/program/rows"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/proxy"
)

// Each execution begins with the rows that schema and seed have made. They are kept in
// tables of the proxy's own, and copied back. Tables get new files by TRUNCATE: so
// nothing is left of rows that were deleted. Where triggers would run for it, schema and
// seed run again.

// Mark begins the names of the proxy's own tables. The one of that name says that the
// database is txmc's.
const Mark = "txmc_scratch"

// kept is what is in the database before any session.
type kept struct {
	tables  []string // their names, as SQL has them
	names   []string
	restore string // the statements that put all back
	rebuild bool   // rows cannot be put back
}

// Capture keeps what is in the database.
func (d *Database) Capture(ctx context.Context) (c proxy.Content, err error) {
	d.kept = kept{}
	tables, err := d.query(ctx, `SELECT table_name, table_type, coalesce(auto_increment, '') FROM information_schema.TABLES
		WHERE table_schema = database() AND table_type <> 'VIEW' AND table_name NOT LIKE '`+Mark+`%' ORDER BY table_name`)
	if err != nil {
		return c, err
	}
	back := []string{"SET SESSION foreign_key_checks = 0, SESSION lock_wait_timeout = 10, SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'"}
	for i, t := range tables {
		d.kept.names, d.kept.tables = append(d.kept.names, t[0]), append(d.kept.tables, quoted(t[0]))
		if t[1] != "BASE TABLE" {
			d.kept.rebuild = true
			continue
		}
		list, err := d.keep(ctx, i, t[0], t[2])
		if err != nil {
			return c, fmt.Errorf("cannot keep the first rows: %w", err)
		}
		back = append(back, list...)
	}
	d.kept.restore = strings.Join(back, ";")
	rows, err := d.query(ctx, `SELECT
		(SELECT count(*) FROM information_schema.TRIGGERS WHERE trigger_schema = database()),
		(SELECT count(*) FROM information_schema.ROUTINES WHERE routine_schema = database()) + (SELECT count(*) FROM information_schema.EVENTS WHERE event_schema = database())
		+ (SELECT count(*) FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE constraint_schema = database()
			AND (update_rule NOT IN ('RESTRICT', 'NO ACTION') OR delete_rule NOT IN ('RESTRICT', 'NO ACTION')))`)
	if err != nil {
		return c, err
	}
	d.kept.rebuild = d.kept.rebuild || rows[0][0] != "0"
	c.Plain = rows[0][0] == "0" && rows[0][1] == "0"
	return c, nil
}

// keep copies the rows of a table, and returns the statements that put them back. next is
// the number that the next row gets.
func (d *Database) keep(ctx context.Context, number int, name, next string) ([]string, error) {
	rows, err := d.query(ctx, `SELECT column_name FROM information_schema.COLUMNS WHERE table_schema = database() AND table_name = `+literal(name)+`
		AND coalesce(generation_expression, '') = '' ORDER BY ordinal_position`)
	if err != nil {
		return nil, err
	}
	var columns []string
	for _, row := range rows {
		columns = append(columns, quoted(row[0]))
	}
	back := []string{"TRUNCATE TABLE " + quoted(name)}
	if list := strings.Join(columns, ", "); list != "" {
		copied := fmt.Sprintf("%s_%d", Mark, number)
		if err := d.run(ctx, fmt.Sprintf("CREATE TABLE %s AS SELECT %s FROM %s", copied, list, quoted(name))); err != nil {
			return nil, err
		}
		back = append(back, fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s", quoted(name), list, list, copied))
	}
	if next != "" {
		back = append(back, fmt.Sprintf("ALTER TABLE %s AUTO_INCREMENT = %s", quoted(name), next))
	}
	return back, nil
}

// quoted is a name as SQL has it, and literal a text.
func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(text) + "'"
}

// Reset puts the first rows back. Then it opens a snapshot, so that the server does not
// remove what sessions delete while others may still meet it.
func (d *Database) Reset(ctx context.Context) error {
	if d.kept.rebuild {
		return proxy.ErrRebuild
	}
	if _, err := d.keeper.ExecContext(ctx, "ROLLBACK"); err != nil {
		return d.heard(err)
	}
	if err := d.run(ctx, d.kept.restore); err != nil {
		if refused, ok := err.(*mysql.MySQLError); ok && refused.Number == 1205 {
			return fmt.Errorf("another client of the server holds locks on the program's tables: end it, or give a database of its own by --dsn")
		}
		return fmt.Errorf("cannot put the first rows back: %w", err)
	}
	_, err := d.keeper.ExecContext(ctx, "START TRANSACTION WITH CONSISTENT SNAPSHOT")
	return d.heard(err)
}

// Left are the rows of all tables.
func (d *Database) Left(ctx context.Context) (list []report.Assigned, err error) {
	for i, table := range d.kept.tables {
		found, err := d.monitor.QueryContext(ctx, "SELECT * FROM "+table)
		if err != nil {
			return nil, d.heard(err)
		}
		columns, err := found.ColumnTypes()
		if err != nil {
			return nil, err
		}
		for found.Next() {
			row, err := shown(columns, found.Scan)
			if err != nil {
				found.Close()
				return nil, err
			}
			list = append(list, report.Assigned{Key: d.kept.names[i], Value: row})
		}
		if err := found.Err(); err != nil {
			return nil, d.heard(err)
		}
	}
	return list, nil
}

// shown is a row in the words of reports.
func shown(columns []*sql.ColumnType, scan func(...any) error) (string, error) {
	cells, to := make([]*string, len(columns)), make([]any, len(columns))
	for i := range cells {
		to[i] = &cells[i]
	}
	if err := scan(to...); err != nil {
		return "", err
	}
	row := rows.Content{}
	for i, c := range columns {
		if row[c.Name()] = nil; cells[i] != nil {
			row[c.Name()] = worded(c.DatabaseTypeName(), *cells[i])
		}
	}
	return row.String(), nil
}

// worded is a value as package mysql has it in reports: a moment without zeros at its end,
// and bytes that are no text in hexadecimal.
func worded(kind, text string) string {
	switch {
	case kind == "DATETIME" || kind == "TIMESTAMP":
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
		return strings.TrimSuffix(text, " 00:00:00")
	case !utf8.ValidString(text) || strings.HasPrefix(text, `\x`) || strings.ContainsRune(text, 0):
		return `\x` + hex.EncodeToString([]byte(text))
	}
	return text
}

// Clear empties the database, and marks it as txmc's.
func (d *Database) Clear(ctx context.Context) error {
	if _, err := d.keeper.ExecContext(ctx, "ROLLBACK"); err != nil {
		return d.heard(err)
	}
	if err := empty(ctx, d.config.DBName, d.query, d.run); err != nil {
		return err
	}
	return d.run(ctx, "CREATE TABLE "+Mark+" (owner varchar(20)) COMMENT 'made by txmc'")
}

// empty makes a database anew, with its character set.
func empty(ctx context.Context, name string, query func(context.Context, string) ([][]string, error), run func(context.Context, string) error) error {
	rows, err := query(ctx, "SELECT default_character_set_name, default_collation_name FROM information_schema.SCHEMATA WHERE schema_name = "+literal(name))
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return fmt.Errorf("the database %q is gone", name)
	}
	for _, text := range []string{"SET SESSION lock_wait_timeout = 10", "DROP DATABASE " + quoted(name),
		"CREATE DATABASE " + quoted(name) + " CHARACTER SET " + rows[0][0] + " COLLATE " + rows[0][1], "USE " + quoted(name)} {
		if err := run(ctx, text); err != nil {
			return fmt.Errorf("cannot empty the database: %w", err)
		}
	}
	return nil
}
