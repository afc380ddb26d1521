package stress

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/server/database"
)

// A file with SQL may have a line versions. It says which version of which key a row is. It has
// two expressions: one for the key, as in read and write, and one for the value.
//
//	versions txmc_stress_stock: 'stock ' || k, v
//
// Rows that setup makes are versions too. A row of setup is the initial version where the value
// is 0 or NULL. Of other rows the history says that a transaction of the session setup has
// written them.

// tracked is a table with such a line.
type tracked struct {
	line    int
	table   string
	as      string   // the two expressions
	columns []string // of the table, quoted where SQL needs it; the certificate needs them
}

var versionsLine = regexp.MustCompile(`^versions\s+([^\s:]+)\s*:\s*(\S.*)$`)

// track understands a line versions.
func (w *templates) track(line int, text string) error {
	m := versionsLine.FindStringSubmatch(text)
	switch {
	case m == nil:
		return fmt.Errorf("expected versions TABLE: KEY, VALUE, two expressions for each row; got %q", text)
	case !slices.Contains(w.owned, m[1]):
		return fmt.Errorf("versions of %q, which is no table of the line tables above", m[1])
	case w.tracked[m[1]] != nil:
		return fmt.Errorf("versions of %q for the second time", m[1])
	}
	w.tracked[m[1]] = &tracked{line: line, table: m[1], as: m[2]}
	return nil
}

// wrong says what is wrong with the line.
func (t *tracked) wrong(format string, args ...any) error {
	return fmt.Errorf("line %d of the workload: versions: "+format, append([]any{t.line}, args...)...)
}

// sorted are the tables, by line.
func (w *templates) sorted() (list []*tracked) {
	for _, t := range w.tracked {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *tracked) int { return a.line - b.line })
	return list
}

// version reads a key and a value out of two columns of a row. It is the initial version where
// the value is 0.
func (t *tracked) version(row []sql.NullString) (key string, value int64, err error) {
	if len(row) < 2 {
		return "", 0, t.wrong("expected two expressions, a key and a value, got one")
	}
	if !row[0].Valid {
		return "", 0, t.wrong("the key of a row of %s is NULL", t.table)
	}
	if row[1].Valid {
		if value, err = strconv.ParseInt(row[1].String, 10, 64); err != nil {
			return "", 0, t.wrong("the value of %s is %q, which is no number", row[0].String, row[1].String)
		}
	}
	return row[0].String, value, nil
}

// setupRows are the versions that setup has made, as the transaction that has written
// them. It is nil when there are only initial versions.
func (w *templates) setupRows(ctx context.Context, c database.Conn) (*history.Txn, error) {
	first := &history.Txn{Session: "setup", ID: "setup", Real: history.Interval{Known: true, Called: -1}} // before all others
	for _, t := range w.sorted() {
		r, err := c.Do(ctx, "SELECT "+t.as+" FROM "+t.table)
		if err != nil {
			return nil, t.wrong("%w", err)
		}
		for _, row := range r.Rows {
			key, value, err := t.version(row)
			if err != nil {
				return nil, err
			}
			if value != 0 {
				first.Ops = append(first.Ops, history.Op{Kind: history.Write, Key: key, Value: history.Value{Num: value}})
			}
		}
	}
	if first.Ops == nil {
		return nil, nil
	}
	return first, nil
}

// afterSetup looks at what setup has made, before anybody else comes. No value of it is used again.
func (w *templates) afterSetup(ctx context.Context, r *run, c database.Conn) error {
	first, err := w.setupRows(ctx, c)
	if err != nil {
		return err
	}
	if first != nil {
		r.first = first
		for _, op := range first.Ops {
			r.values.Store(max(r.values.Load(), op.Value.Num))
		}
	}
	if !r.Certificate {
		return nil
	}
	w.writes = &templateWrites{keys: map[int64]string{}, asked: map[string]template{}}
	return w.prepare(ctx, r, c)
}

// checkCertificate says why a file has no certificate.
func (w *templates) checkCertificate() error {
	if len(w.tracked) == 0 {
		return fmt.Errorf("--certificate: %s does not say which rows are which keys: add a line such as versions txmc_stress_stock: k, v, two expressions for the key and the value of each row", w.file)
	}
	for _, txn := range w.txns {
		for _, t := range txn {
			if err := w.certain(&t); err != nil {
				return fmt.Errorf("--certificate: %s:%d: %w", w.file, t.line, err)
			}
		}
	}
	return nil
}

var (
	locking   = regexp.MustCompile(`(?i)\bFOR\s+(NO\s+KEY\s+UPDATE|UPDATE|KEY\s+SHARE|SHARE)\b`)
	returning = regexp.MustCompile(`(?i)\bRETURNING\b`)
)

// certain says why the certificate cannot have a statement.
func (w *templates) certain(t *template) error {
	switch t.what {
	case "rows of", "count of":
		switch {
		case w.tracked[t.table] == nil:
			return fmt.Errorf("%s %s: there is no line versions %s: KEY, VALUE", t.what, t.table, t.table)
		case locking.MatchString(t.sql):
			return fmt.Errorf("%s: a statement that locks rows reads newer ones than its snapshot has at READ COMMITTED: read by rows: what it locks", t.what)
		}
	case "write":
		if t.table == "" || returning.MatchString(t.sql) {
			return fmt.Errorf("write: expected INSERT INTO TABLE … or UPDATE TABLE … without RETURNING: it is added, to know the row")
		}
	case "delete":
		if !strings.EqualFold(strings.Fields(t.sql)[0], "DELETE") {
			return fmt.Errorf("delete: expected DELETE FROM TABLE …")
		}
	}
	return nil
}
