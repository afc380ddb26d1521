package brute

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// Client is what a session's code knows.
type Client struct {
	*Language
	seen strings.Builder
	last int // the value read last
}

// Seen is what the client has observed.
func (c *Client) Seen() string { return c.seen.String() }

// querier runs statements: a database, or a transaction.
type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

// Session runs a session's transactions, up to an error that is none of a constraint.
func (c *Client) Session(db *sql.DB, list [][]Statement) {
	for _, tx := range list {
		if err := c.Transaction(db, tx); err != nil {
			c.seen.WriteString(err.Error())
			return
		}
	}
}

// Transaction runs a transaction as an application does.
func (c *Client) Transaction(db *sql.DB, tx []Statement) error {
	ctx := context.Background()
	if len(tx) == 1 {
		_, err := c.statement(ctx, db, tx[0])
		return err
	}
	open, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer open.Rollback()
	for _, s := range tx {
		if s.Guarded {
			if _, err := open.ExecContext(ctx, "SAVEPOINT s"); err != nil {
				return err
			}
		}
		failed, err := c.statement(ctx, open, s)
		if err != nil || failed && !s.Guarded {
			return err
		}
		if s.Undone || failed {
			if _, err := open.ExecContext(ctx, "ROLLBACK TO SAVEPOINT s"); err != nil {
				return err
			}
		}
	}
	return open.Commit()
}

// statement runs a statement and notes what it answers.
func (c *Client) statement(ctx context.Context, q querier, s Statement) (failed bool, err error) {
	text := c.SQL(s, c.last)
	var answer string
	if strings.HasPrefix(text, "SELECT") || strings.Contains(text, "RETURNING") {
		answer, err = c.rows(q.QueryContext(ctx, text))
	} else {
		var r sql.Result
		if r, err = q.ExecContext(ctx, text); err == nil {
			n, _ := r.RowsAffected() // the drivers know it always
			answer = fmt.Sprint("n", n)
		}
	}
	if err != nil {
		if code := c.Refused(err); code != "" {
			failed, answer, err = true, code, nil
		}
	}
	c.seen.WriteString(answer + " ")
	return failed, err
}

func (c *Client) rows(rows *sql.Rows, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer rows.Close()
	answer := "r"
	for rows.Next() {
		var id, v int
		if err := rows.Scan(&id, &v); err != nil {
			return "", err
		}
		c.last = v
		answer += fmt.Sprintf("(%d,%d)", id, v)
	}
	return answer, rows.Err()
}
