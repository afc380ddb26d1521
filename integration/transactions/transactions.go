// Package transactions moves money in the ways in which libraries begin transactions: what
// txmc find reads off them is tested.
package transactions

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"gorm.io/gorm"
)

const (
	balance = "SELECT balance FROM account WHERE id = $1"
	take    = "UPDATE account SET balance = $1 WHERE id = $2"
)

// Gorm is an application on gorm.
type Gorm struct{ db *gorm.DB }

// NewGorm returns it.
func NewGorm(db *gorm.DB) *Gorm { return &Gorm{db} }

// Take takes n in a Transaction.
func (g *Gorm) Take(id, n int) error {
	return g.db.Transaction(func(tx *gorm.DB) error {
		var b int
		if err := tx.Raw(balance, id).Scan(&b).Error; err != nil {
			return err
		}
		return tx.Exec(take, b-n, id).Error
	})
}

// Bun is an application on bun.
type Bun struct{ DB *bun.DB }

// Take takes n in RunInTx.
func (x *Bun) Take(ctx context.Context, id, n int) error {
	return x.DB.RunInTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable}, func(ctx context.Context, tx bun.Tx) error {
		var b int
		if err := tx.QueryRowContext(ctx, balance, id).Scan(&b); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, take, b-n, id)
		return err
	})
}

// Pgx is an application on pgx.
type Pgx struct{ pool *pgxpool.Pool }

// NewPgx returns it.
func NewPgx(pool *pgxpool.Pool) *Pgx { return &Pgx{pool} }

// Take takes n in BeginFunc.
func (x *Pgx) Take(ctx context.Context, id, n int) error {
	return pgx.BeginFunc(ctx, x.pool, func(tx pgx.Tx) error { return x.take(ctx, tx, id, n) })
}

// TakeRepeatable takes n in BeginTxFunc, at REPEATABLE READ.
func (x *Pgx) TakeRepeatable(ctx context.Context, id, n int) error {
	return pgx.BeginTxFunc(ctx, x.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error { return x.take(ctx, tx, id, n) })
}

func (x *Pgx) take(ctx context.Context, tx pgx.Tx, id, n int) error {
	var b int
	if err := tx.QueryRow(ctx, balance, id).Scan(&b); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, take, b-n, id)
	return err
}

// Sqlx is an application on sqlx.
type Sqlx struct{ db *sqlx.DB }

// NewSqlx returns it.
func NewSqlx(db *sqlx.DB) *Sqlx { return &Sqlx{db} }

// Take takes n between Beginx and Commit.
func (x *Sqlx) Take(ctx context.Context, id, n int) error {
	tx, err := x.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var b int
	if err := tx.GetContext(ctx, &b, balance, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, take, b-n, id); err != nil {
		return err
	}
	return tx.Commit()
}

// DBTX is what sqlc's queries run on.
type DBTX interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

type queries struct{ db DBTX }

func (q *queries) withTx(tx *sql.Tx) *queries { return &queries{tx} }

func (q *queries) balance(ctx context.Context, id int) (b int, err error) {
	err = q.db.QueryRowContext(ctx, balance, id).Scan(&b)
	return b, err
}

func (q *queries) take(ctx context.Context, b, id int) error {
	_, err := q.db.ExecContext(ctx, take, b, id)
	return err
}

// Sqlc is an application on queries as sqlc generates them.
type Sqlc struct {
	db *sql.DB
	q  *queries
}

// NewSqlc returns it.
func NewSqlc(db *sql.DB) *Sqlc { return &Sqlc{db, &queries{db}} }

// Take takes n by queries on a transaction.
func (x *Sqlc) Take(ctx context.Context, id, n int) error {
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	q := x.q.withTx(tx)
	b, err := q.balance(ctx, id)
	if err != nil {
		return err
	}
	if err := q.take(ctx, b-n, id); err != nil {
		return err
	}
	return tx.Commit()
}
