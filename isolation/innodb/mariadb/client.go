package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/isolation/statement"
)

// Send sends an action of a session on a connection. An error of the server is a result.
func Send(ctx context.Context, c *sql.Conn, p *statement.Program, session int, a statement.Action) (statement.Result, error) {
	r, err := act(ctx, c, p, session, a)
	var failed *mysql.MySQLError
	if errors.As(err, &failed) {
		return statement.Fail(fmt.Sprint(failed.Number)), nil
	}
	return r, err
}

// act sends an action.
func act(ctx context.Context, c *sql.Conn, p *statement.Program, session int, a statement.Action) (statement.Result, error) {
	if a.First {
		if err := run(ctx, c, "START TRANSACTION"); err != nil {
			return statement.Result{}, err
		}
	}
	q := a.SQL(p, session)
	if a.Kind == statement.Run && strings.HasPrefix(q, "SELECT") {
		return query(ctx, c, q)
	}
	done, err := c.ExecContext(ctx, q)
	if err != nil {
		return statement.Result{}, err
	}
	switch a.Kind {
	case statement.Commit:
		return statement.Result{Kind: statement.Committed}, nil
	case statement.Rollback:
		return statement.Result{Kind: statement.RolledBack}, nil
	}
	switch p.Sessions[session][a.Txn].Stmts[a.Stmt].Op {
	case statement.Save:
		return statement.Result{Kind: statement.Saved}, nil
	case statement.BackTo:
		return statement.Result{Kind: statement.RolledBack}, nil
	}
	n, err := done.RowsAffected()
	return statement.Result{Kind: statement.Count, N: int(n)}, err
}

// query runs a SELECT of two integers a row.
func query(ctx context.Context, c *sql.Conn, q string) (statement.Result, error) {
	res := statement.Result{Kind: statement.Rows}
	rows, err := c.QueryContext(ctx, q)
	if err != nil {
		return res, err
	}
	defer rows.Close()
	for rows.Next() {
		var x, y int
		if err := rows.Scan(&x, &y); err != nil {
			return res, err
		}
		if strings.HasPrefix(q, "SELECT count") {
			res = statement.Result{Kind: statement.Aggregate, N: x, Sum: y}
		} else {
			res.Rows = append(res.Rows, statement.IDValue{ID: x, V: y})
		}
	}
	return res, rows.Err()
}
