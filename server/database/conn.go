package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/server/scratch"
)

// Conn is a connection. Statements are texts without parameters. It is for one goroutine.
type Conn interface {
	// Do runs statements; MySQL takes one at a time. It returns the result of the last one
	// that has rows, or else of the last one. The error is an [*Error] when the server refuses.
	// After any other error the connection is of no more use, and nobody knows what the server
	// has done.
	Do(ctx context.Context, sql string) (Result, error)
	// Close ends the connection, also in the middle of a statement.
	Close() error
}

// Result is the result of a statement.
type Result struct {
	Rows     [][]sql.NullString
	Affected int64 // rows that were written
}

// Text is a column of a row, "" where it is NULL.
func (r *Result) Text(row, column int) string { return r.Rows[row][column].String }

// Error is an answer of the server that a statement failed.
type Error struct {
	Code    string // SQLSTATE, or the number of the error for MySQL
	Message string
}

// Error is the server's message with the code.
func (e *Error) Error() string { return fmt.Sprintf("%s (%s)", e.Message, e.Code) }

// Wrap replaces a connection to a server, to break it say.
type Wrap func(net.Conn) net.Conn

// Connect opens a connection. wrap may be nil.
func (d *Database) Connect(ctx context.Context, wrap Wrap) (Conn, error) {
	if d.Kind == scratch.Postgres {
		return d.connectPostgres(ctx, wrap)
	}
	return d.connectMySQL(ctx, wrap)
}

type pgConn struct{ c *pgconn.PgConn }

func (d *Database) connectPostgres(ctx context.Context, wrap Wrap) (Conn, error) {
	config := d.postgres.Copy()
	if wrap != nil {
		dial := config.DialFunc
		config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
			return wrapped(wrap)(dial(ctx, network, addr))
		}
	}
	c, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return pgConn{c}, nil
}

// wrapped wraps a connection that was dialled.
func wrapped(wrap Wrap) func(net.Conn, error) (net.Conn, error) {
	return func(c net.Conn, err error) (net.Conn, error) {
		if err != nil {
			return nil, err
		}
		return wrap(c), nil
	}
}

func (p pgConn) Do(ctx context.Context, text string) (r Result, err error) {
	results, err := p.c.Exec(ctx, text).ReadAll()
	var failed *pgconn.PgError
	if errors.As(err, &failed) {
		return r, &Error{failed.Code, failed.Message}
	}
	if err != nil || len(results) == 0 {
		return r, err
	}
	last := results[len(results)-1]
	for _, result := range results {
		if len(result.FieldDescriptions) > 0 {
			last = result
		}
	}
	if !last.CommandTag.Select() {
		r.Affected = last.CommandTag.RowsAffected()
	}
	for _, row := range last.Rows {
		cells := make([]sql.NullString, len(row))
		for i, cell := range row {
			cells[i] = sql.NullString{String: string(cell), Valid: cell != nil}
		}
		r.Rows = append(r.Rows, cells)
	}
	return r, nil
}

func (p pgConn) Close() error {
	ended, cancel := context.WithCancel(context.Background())
	cancel() // what the server has not answered by now is of no interest
	return ignoreCancelled(p.c.Close(ended))
}

func ignoreCancelled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

type myConn struct {
	db *sql.DB
	c  *sql.Conn
}

func (d *Database) connectMySQL(ctx context.Context, wrap Wrap) (Conn, error) {
	config := d.mysql.Clone()
	if wrap != nil {
		config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
			var dialer net.Dialer
			return wrapped(wrap)(dialer.DialContext(ctx, network, addr))
		}
	}
	config.Logger = silent{} // what breaks is told by errors
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return myConn{db, c}, nil
}

type silent struct{}

func (silent) Print(...any) {}

func (m myConn) Do(ctx context.Context, text string) (Result, error) {
	r, err := m.do(ctx, text)
	var failed *mysql.MySQLError
	if errors.As(err, &failed) {
		err = &Error{fmt.Sprint(failed.Number), failed.Message}
	}
	return r, err
}

func (m myConn) do(ctx context.Context, text string) (r Result, err error) {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if w := strings.ToUpper(word); w != "SELECT" && w != "SHOW" && w != "WITH" {
		done, err := m.c.ExecContext(ctx, text)
		if err != nil {
			return r, err
		}
		r.Affected, err = done.RowsAffected()
		return r, err
	}
	rows, err := m.c.QueryContext(ctx, text)
	if err != nil {
		return r, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return r, err
	}
	for rows.Next() {
		cells, to := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range cells {
			to[i] = &cells[i]
		}
		if err := rows.Scan(to...); err != nil {
			return r, err
		}
		r.Rows = append(r.Rows, cells)
	}
	return r, rows.Err()
}

func (m myConn) Close() error {
	m.c.Close()
	return m.db.Close()
}
