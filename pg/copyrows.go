package pg

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/wire"
)

// A copy of the rows that backends share, on an instance without hooks. It is made in SQL: each
// row is read as a text, as PostgreSQL writes values of its table's type, and written without
// triggers and checks.

// copyRows copies the rows that are committed, and where sequences are.
func (b *Backend) copyRows(to *engine.Instance) error {
	ctx := context.Background()
	reader, end, err := b.image.fork()
	if err != nil {
		return err
	}
	defer end()
	reader.helps = true
	from, err := dial(ctx, reader.hub)
	if err != nil {
		return err
	}
	defer from.Close(ctx)
	into, err := dial(ctx, wire.NewHub(to, unwatched{}))
	if err != nil {
		return err
	}
	defer into.Close(ctx)
	tables, err := query(ctx, into, tablesQuery)
	if err != nil || len(tables) == 0 {
		return err
	}
	return b.image.copyTables(ctx, from, into, tables)
}

// copyTables copies the rows of tables, and where sequences are.
func (i *Image) copyTables(ctx context.Context, from, into *pgconn.PgConn, tables [][]string) error {
	var names, reads, kept, writes []string
	for n, t := range tables {
		names = append(names, t[0])
		read := fmt.Sprintf("SELECT %d, t::text FROM ONLY %s t", n, t[0])
		if i.unread(t[3]) {
			kept = append(kept, read)
		} else {
			reads = append(reads, read)
		}
		if t[1] != "" {
			writes = append(writes, fmt.Sprintf("INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM (SELECT r::%s AS r FROM pg_temp.txmc_rows WHERE t = %d OFFSET 0) x", t[0], t[1], t[2], t[0], n))
		}
	}
	var rows bytes.Buffer
	if err := execute(ctx, from, "SET txmc.weak = off"); err != nil {
		return err
	}
	for _, c := range []struct {
		from  *pgconn.PgConn
		reads []string
	}{{from, reads}, {into, kept}} {
		if len(c.reads) == 0 {
			continue
		}
		if _, err := c.from.CopyTo(ctx, &rows, "COPY ("+strings.Join(c.reads, " UNION ALL ")+") TO STDOUT"); err != nil {
			return err
		}
	}
	if err := execute(ctx, into, "SET session_replication_role = replica; CREATE TEMP TABLE txmc_rows (t int, r text); TRUNCATE "+strings.Join(names, ", ")); err != nil {
		return err
	}
	if _, err := into.CopyFrom(ctx, &rows, "COPY pg_temp.txmc_rows FROM STDIN"); err != nil {
		return err
	}
	if err := execute(ctx, into, writes...); err != nil {
		return err
	}
	if err := copySequences(ctx, from, into); err != nil {
		return err
	}
	return execute(ctx, into, "DISCARD ALL")
}

// tablesQuery asks for the tables with rows of their own: their names, and for an INSERT the
// columns that are not computed and how they are read from a row r.
const tablesQuery = `SELECT format('%I.%I', n.nspname, c.relname),
		coalesce(string_agg(format('%I', a.attname), ', ' ORDER BY attnum), ''), coalesce(string_agg(format('(r).%I', a.attname), ', ' ORDER BY attnum), ''), c.oid
	FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = relnamespace
	LEFT JOIN pg_catalog.pg_attribute a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
	WHERE c.oid >= 16384 AND relkind = 'r' AND relpersistence <> 't' AND nspname <> 'information_schema' GROUP BY c.oid, nspname, relname ORDER BY c.oid`

// unread reports whether statements on a table are refused: so it has the rows that it had at
// the beginning.
func (i *Image) unread(oid string) bool {
	m := i.base.Load().model
	n, err := strconv.ParseUint(oid, 10, 32)
	return m != nil && err == nil && m.catalog.Refuses(engine.OID(n))
}

// copySequences makes sequences go on where they are: each gives a number, which it gives again.
func copySequences(ctx context.Context, from, to *pgconn.PgConn) error {
	sequences, err := query(ctx, to, `SELECT quote_literal(format('%I.%I', nspname, relname)) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = relnamespace
		WHERE c.oid >= 16384 AND relkind = 'S' AND relpersistence <> 't' ORDER BY c.oid`)
	if err != nil {
		return err
	}
	for _, s := range sequences {
		next, err := query(ctx, from, "SELECT nextval("+s[0]+")")
		if err != nil {
			continue // it has no further one
		}
		if err := execute(ctx, to, "SELECT setval("+s[0]+", "+next[0][0]+", false)"); err != nil {
			return err
		}
	}
	return nil
}

func execute(ctx context.Context, c *pgconn.PgConn, statements ...string) error {
	for _, sql := range statements {
		if _, err := c.Exec(ctx, sql).ReadAll(); err != nil {
			return fmt.Errorf("%s: %w", wire.Shorten(sql), err)
		}
	}
	return nil
}

func query(ctx context.Context, c *pgconn.PgConn, sql string) ([][]string, error) {
	results, err := c.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	return rowsOf(results[0]), nil
}
