package libraries

import (
	"context"
	"database/sql"
	"errors"

	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/program"
)

// The code that sqlc generates for MySQL with emit_prepared_queries has this form: a type of
// queries on a *sql.DB or *sql.Tx, each with a prepared statement. These are written by hand.

const getBalance = `-- name: GetBalance :one
SELECT id, balance FROM account WHERE owner = ?`

const lockBalance = `-- name: LockBalance :one
SELECT id, balance FROM account WHERE owner = ? FOR UPDATE`

const setBalance = `-- name: SetBalance :exec
UPDATE account SET balance = ? WHERE id = ?`

const openAccount = `-- name: OpenAccount :execresult
INSERT INTO account (owner, balance) VALUES (?, ?)`

type queries struct {
	db             *sql.DB
	tx             *sql.Tx
	get, lock      *sql.Stmt
	set, openStmt  *sql.Stmt
	preparedBefore []*sql.Stmt
}

func prepare(ctx context.Context, db *sql.DB) (*queries, error) {
	q := &queries{db: db}
	for _, p := range []struct {
		to   **sql.Stmt
		text string
	}{{&q.get, getBalance}, {&q.lock, lockBalance}, {&q.set, setBalance}, {&q.openStmt, openAccount}} {
		stmt, err := db.PrepareContext(ctx, p.text)
		if err != nil {
			return nil, err
		}
		*p.to = stmt
		q.preparedBefore = append(q.preparedBefore, stmt)
	}
	return q, nil
}

func (q *queries) withTx(tx *sql.Tx) *queries {
	with := *q
	with.tx = tx
	return &with
}

func (q *queries) stmt(ctx context.Context, s *sql.Stmt) *sql.Stmt {
	if q.tx == nil {
		return s
	}
	return q.tx.StmtContext(ctx, s)
}

type balanceRow struct{ ID, Balance int64 }

func (q *queries) balance(ctx context.Context, s *sql.Stmt, owner string) (i balanceRow, err error) {
	err = q.stmt(ctx, s).QueryRowContext(ctx, owner).Scan(&i.ID, &i.Balance)
	return i, err
}

// generated is sqlc.
type generated struct{ q *queries }

func (b generated) withdraw(n int64, locked bool) error {
	ctx := context.Background()
	tx, err := b.q.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	q, s := b.q.withTx(tx), b.q.get
	if locked {
		s = b.q.lock
	}
	row, err := q.balance(ctx, s, "ann")
	if err != nil {
		return err
	}
	if row.Balance < n {
		return errPoor
	}
	if _, err := q.stmt(ctx, q.set).ExecContext(ctx, row.Balance-n, row.ID); err != nil {
		return err
	}
	return tx.Commit()
}

func (b generated) open(owner string) (int64, error) {
	ctx := context.Background()
	r, err := b.q.stmt(ctx, b.q.openStmt).ExecContext(ctx, owner, 0)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

func (b generated) close() error {
	var err error
	for _, s := range b.q.preparedBefore {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, b.q.db.Close())
}

func newGenerated(db *mysql.DB, s *program.Session) (bank, error) {
	q, err := prepare(context.Background(), db.Open(s))
	return generated{q}, err
}
