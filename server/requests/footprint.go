package requests

import (
	"context"
	"net"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// A pair of requests is explored where one may write what the other one reads or writes. What a request touches is known by the
// tables that its statements name when it runs alone. That is enough: before a request does something else than alone, it has
// read, or waited for, what the other one has written, in a table that it names alone. Where functions, views, rules or triggers
// may hide tables, all pairs are explored.

// footprint are the tables that a request touches.
type footprint struct{ reads, writes map[string]bool }

// catalog is what statements may name.
type catalog struct {
	tables  map[string]bool
	parents map[string][]string // of foreign keys
	hides   bool                // something that names tables out of sight
}

// advisory stands for advisory locks.
const advisory = "(advisory locks)"

const (
	listTables = `SELECT relname FROM pg_catalog.pg_class WHERE oid >= 16384 AND relkind IN ('r', 'p', 'f') AND relnamespace <> 'pg_toast'::regnamespace`
	listKeys   = `SELECT c.conrelid::regclass::text, c.confrelid::regclass::text FROM pg_catalog.pg_constraint c WHERE c.contype = 'f'`
	countOther = `SELECT (SELECT count(*) FROM pg_catalog.pg_class WHERE oid >= 16384 AND relkind IN ('v', 'm'))
		+ (SELECT count(*) FROM pg_catalog.pg_proc WHERE oid >= 16384) + (SELECT count(*) FROM pg_catalog.pg_trigger WHERE NOT tgisinternal)
		+ (SELECT count(*) FROM pg_catalog.pg_inherits)`
)

// readCatalog asks a database what there is.
func readCatalog(ctx context.Context, dial func() (net.Conn, error)) (c catalog, err error) {
	db, err := connect(ctx, dial)
	if err != nil {
		return c, err
	}
	defer db.Close(ctx)
	c = catalog{tables: map[string]bool{}, parents: map[string][]string{}}
	for query, each := range map[string]func([][]byte){
		listTables: func(row [][]byte) { c.tables[plainName(row[0])] = true },
		listKeys: func(row [][]byte) {
			c.parents[plainName(row[0])] = append(c.parents[plainName(row[0])], plainName(row[1]))
		},
		countOther: func(row [][]byte) { c.hides = string(row[0]) != "0" },
	} {
		results, err := db.Exec(ctx, query).ReadAll()
		if err != nil {
			return c, err
		}
		for _, r := range results {
			for _, row := range r.Rows {
				each(row)
			}
		}
	}
	return c, nil
}

// connect opens a connection to the database that dial leads to.
func connect(ctx context.Context, dial func() (net.Conn, error)) (*pgconn.PgConn, error) {
	config, err := pgconn.ParseConfig("postgres://postgres@/postgres?host=/txmc&sslmode=disable")
	if err != nil {
		return nil, err
	}
	config.DialFunc = func(context.Context, string, string) (net.Conn, error) { return dial() }
	return pgconn.ConnectConfig(ctx, config)
}

// plainName is a name without its schema and quotes, in small letters: two tables of one name are taken for one.
func plainName(name []byte) string {
	s := strings.ToLower(strings.ReplaceAll(string(name), `"`, ""))
	return s[strings.LastIndexByte(s, '.')+1:]
}

var (
	words = regexp.MustCompile(`[\pL_][\pL\pN_$]*`)
	// reading matches statements that only read.
	reading = regexp.MustCompile(`(?is)^\s*(SELECT|VALUES|TABLE|SHOW|EXPLAIN)\b`)
	locking = regexp.MustCompile(`(?i)\bFOR\s+(NO\s+KEY\s+UPDATE|UPDATE|SHARE|KEY\s+SHARE)\b`)
	deletes = regexp.MustCompile(`(?i)\b(DELETE|TRUNCATE|UPDATE|MERGE)\b`)
)

// of is what statements touch.
func (c catalog) of(statements []string) footprint {
	f := footprint{map[string]bool{}, map[string]bool{}}
	for _, sql := range statements {
		to := f.writes
		if reading.MatchString(sql) && !locking.MatchString(sql) {
			to = f.reads
		}
		for _, w := range words.FindAllString(sql, -1) {
			w = strings.ToLower(w)
			if strings.Contains(w, "advisory") {
				f.writes[advisory] = true
			}
			if c.tables[w] {
				to[w] = true
			}
		}
		if deletes.MatchString(sql) {
			f.cascades(c)
		}
	}
	for table := range f.writes {
		for _, parent := range c.parents[table] { // the key is looked up
			f.reads[parent] = true
		}
	}
	return f
}

// cascades adds the tables whose rows may change with those that are written.
func (f footprint) cascades(c catalog) {
	for more := true; more; {
		more = false
		for child, parents := range c.parents {
			for _, parent := range parents {
				if f.writes[parent] && !f.writes[child] {
					f.writes[child], more = true, true
				}
			}
		}
	}
}

// meets reports whether one writes what the other touches.
func (f footprint) meets(g footprint) bool { return f.writesOf(g) || g.writesOf(f) }

func (f footprint) writesOf(g footprint) bool {
	for table := range f.writes {
		if g.reads[table] || g.writes[table] {
			return true
		}
	}
	return false
}
