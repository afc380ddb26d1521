// Package sqlcoupon redeems coupons that may be used so many times, in SQL.
//
// Redeem counts the redemptions and then inserts one. Two customers count before
// either has inserted, and the coupon is used twice. Each writes a row of its own:
// there is no conflict, so that snapshot isolation allows it (write skew by a
// phantom). To lock the coupon with FOR UPDATE is no help there, for who gets the
// lock later still counts in the old snapshot. RedeemCounted keeps the number of
// uses in the coupon's row and changes it by one statement: there the second
// customer's update looks at the newest version of the row, at every level.
//
// Levels:
//
//	ExploreRedeem: breaks at rc, ra, cc, pc, si; holds at ser
//	ExploreRedeemLocked: breaks at rc, ra, cc, pc, si; holds at ser
//	ExploreRedeemCounted: holds at all
package sqlcoupon

import (
	"context"
	"database/sql"
	"errors"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

const schema = `
CREATE TABLE coupon (
	code text PRIMARY KEY,
	most int NOT NULL,
	used int NOT NULL DEFAULT 0
);
CREATE TABLE redemption (
	id   bigserial PRIMARY KEY,
	code text NOT NULL REFERENCES coupon,
	who  text NOT NULL
);`

const seed = `INSERT INTO coupon (code, most) VALUES ('WELCOME', 1)`

var errUsedUp = errors.New("the coupon is used up")

// Store keeps coupons in a database.
type Store struct{ db *sql.DB }

// Redeem lets who use the coupon with that code, if it may be used once more.
func (s *Store) Redeem(ctx context.Context, code, who string) error {
	return s.redeem(ctx, "SELECT most FROM coupon WHERE code = $1", code, who)
}

// RedeemLocked is Redeem with a lock on the coupon.
func (s *Store) RedeemLocked(ctx context.Context, code, who string) error {
	return s.redeem(ctx, "SELECT most FROM coupon WHERE code = $1 FOR UPDATE", code, who)
}

func (s *Store) redeem(ctx context.Context, find, code, who string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var most, used int
	if err := tx.QueryRowContext(ctx, find, code).Scan(&most); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM redemption WHERE code = $1", code).Scan(&used); err != nil {
		return err
	}
	if used >= most {
		return errUsedUp
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO redemption (code, who) VALUES ($1, $2)", code, who); err != nil {
		return err
	}
	return tx.Commit()
}

// RedeemCounted counts in the coupon's row.
func (s *Store) RedeemCounted(ctx context.Context, code, who string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	res, err := tx.ExecContext(ctx, "UPDATE coupon SET used = used + 1 WHERE code = $1 AND used < most", code)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errUsedUp, err)
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO redemption (code, who) VALUES ($1, $2)", code, who); err != nil {
		return err
	}
	return tx.Commit()
}

// ExploreRedeem: ann and bob redeem a coupon that may be used once.
func ExploreRedeem(p *txmc.Program) { redemptions(p, (*Store).Redeem) }

// ExploreRedeemLocked: they lock the coupon.
func ExploreRedeemLocked(p *txmc.Program) { redemptions(p, (*Store).RedeemLocked) }

// ExploreRedeemCounted: the coupon's row has the count.
func ExploreRedeemCounted(p *txmc.Program) { redemptions(p, (*Store).RedeemCounted) }

func redemptions(p *txmc.Program, redeem func(*Store, context.Context, string, string) error) {
	ctx := context.Background()
	db := pg.New(p, pg.Schema(schema), pg.Seed(seed))
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			err := redeem(&Store{db.Open(s)}, ctx, "WELCOME", who)
			s.Assert(err == nil || errors.Is(err, errUsedUp), err)
		})
	}
	db.Final("limit", func(ctx context.Context, db *sql.DB) error {
		var used int
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM redemption").Scan(&used); err != nil {
			return err
		}
		return txmc.Assertf(used <= 1, "the coupon was used %d times", used)
	})
}
