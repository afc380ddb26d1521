// Package bunshop counts stock and votes with bun's builders, which write arguments into the texts
// of statements. It has mistakes, for txmc find, and their right forms.
package bunshop

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// Schema makes the tables.
const Schema = `
CREATE TABLE articles (id bigint PRIMARY KEY, name text NOT NULL, stock bigint NOT NULL);
CREATE TABLE votes (poll bigint NOT NULL, voter bigint NOT NULL, PRIMARY KEY (poll, voter));
CREATE TABLE polls (id bigint PRIMARY KEY, most bigint NOT NULL);
`

// Article is in stock.
type Article struct {
	ID    int64 `bun:",pk"`
	Name  string
	Stock int64
}

// Vote is a voter's in a poll.
type Vote struct {
	Poll  int64 `bun:",pk"`
	Voter int64 `bun:",pk"`
}

// Poll takes a number of votes.
type Poll struct {
	ID   int64 `bun:",pk"`
	Most int64
}

// Errors of the shop.
var (
	ErrSoldOut = errors.New("sold out")
	ErrClosed  = errors.New("the poll has all its votes")
)

// Shop keeps all that.
type Shop struct{ db *bun.DB }

// New is a shop on a database.
func New(db *sql.DB) *Shop { return &Shop{bun.NewDB(db, pgdialect.New())} }

// Sell reads the stock and writes what is left: of two sales one is lost.
func (s *Shop) Sell(ctx context.Context, id, amount int64) error {
	return s.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var a Article
		if err := tx.NewSelect().Model(&a).Where("id = ?", id).Scan(ctx); err != nil {
			return err
		}
		if a.Stock < amount {
			return ErrSoldOut
		}
		a.Stock -= amount
		_, err := tx.NewUpdate().Model(&a).Column("stock").WherePK().Exec(ctx)
		return err
	})
}

// SellAtomic subtracts in the database.
func (s *Shop) SellAtomic(ctx context.Context, id, amount int64) error {
	r, err := s.db.NewUpdate().Model((*Article)(nil)).Set("stock = stock - ?", amount).Where("id = ? AND stock >= ?", id, amount).Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, ErrSoldOut)
	}
	return nil
}

// Cast counts the votes and adds one: a poll may have more than it takes.
func (s *Shop) Cast(ctx context.Context, poll, voter int64) error {
	return s.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var p Poll
		if err := tx.NewSelect().Model(&p).Where("id = ?", poll).Scan(ctx); err != nil {
			return err
		}
		n, err := tx.NewSelect().Model((*Vote)(nil)).Where("poll = ?", poll).Count(ctx)
		if err != nil {
			return err
		}
		if int64(n) >= p.Most {
			return ErrClosed
		}
		_, err = tx.NewInsert().Model(&Vote{Poll: poll, Voter: voter}).Exec(ctx)
		return err
	})
}
