// Package gormshop keeps accounts, coupons and stock with gorm's own methods: no statement is in
// the source. It has mistakes, for txmc find, and their right forms.
package gormshop

import (
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Schema makes the tables.
const Schema = `
CREATE TABLE accounts (id bigint PRIMARY KEY, owner text NOT NULL, balance bigint NOT NULL);
CREATE TABLE coupons (code text PRIMARY KEY, uses bigint NOT NULL, most bigint NOT NULL);
CREATE TABLE redemptions (id bigserial PRIMARY KEY, coupon_code text NOT NULL REFERENCES coupons (code), customer bigint NOT NULL);
CREATE TABLE seats (id bigint PRIMARY KEY, taken_by bigint);
`

// Account has money.
type Account struct {
	ID      int64
	Owner   string
	Balance int64
}

// Coupon may be redeemed a number of times.
type Coupon struct {
	Code string `gorm:"primaryKey"`
	Uses int64
	Most int64
}

// Redemption is a use of a coupon.
type Redemption struct {
	ID         int64
	CouponCode string
	Customer   int64
}

// Seat is somebody's, or nobody's.
type Seat struct {
	ID      int64
	TakenBy *int64
}

// Errors of the shop.
var (
	ErrUsedUp = errors.New("the coupon is used up")
	ErrTaken  = errors.New("the seat is taken")
)

// Shop keeps all that.
type Shop struct{ db *gorm.DB }

// New is a shop on a database.
func New(db *gorm.DB) *Shop { return &Shop{db} }

// Deposit reads the account and saves it: one of two deposits is lost.
func (s *Shop) Deposit(id, amount int64) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		var a Account
		if err := tx.First(&a, id).Error; err != nil {
			return err
		}
		a.Balance += amount
		return tx.Save(&a).Error
	})
}

// DepositAtomic adds in the database.
func (s *Shop) DepositAtomic(id, amount int64) error {
	return s.db.Model(&Account{}).Where("id = ?", id).Update("balance", gorm.Expr("balance + ?", amount)).Error
}

// Redeem counts the redemptions and adds one: two customers may both be the last one.
func (s *Shop) Redeem(code string, customer int64) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		var c Coupon
		if err := tx.Where("code = ?", code).Take(&c).Error; err != nil {
			return err
		}
		var n int64
		if err := tx.Model(&Redemption{}).Where(&Redemption{CouponCode: code}).Count(&n).Error; err != nil {
			return err
		}
		if n >= c.Most {
			return ErrUsedUp
		}
		return tx.Create(&Redemption{CouponCode: code, Customer: customer}).Error
	})
}

// RedeemLocked locks the coupon first.
func (s *Shop) RedeemLocked(code string, customer int64) error {
	return s.db.Transaction(func(tx *gorm.DB) error {
		var c Coupon
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("code = ?", code).Take(&c).Error; err != nil {
			return err
		}
		var n int64
		if err := tx.Model(&Redemption{}).Where(&Redemption{CouponCode: code}).Count(&n).Error; err != nil {
			return err
		}
		if n >= c.Most {
			return ErrUsedUp
		}
		return tx.Create(&Redemption{CouponCode: code, Customer: customer}).Error
	})
}

// Take takes a seat that is free: two customers get it.
func (s *Shop) Take(seat, customer int64) error {
	tx := s.db.Begin()
	defer tx.Rollback()
	var it Seat
	if err := tx.First(&it, "id = ?", seat).Error; err != nil {
		return err
	}
	if it.TakenBy != nil {
		return ErrTaken
	}
	if err := tx.Model(&it).Update("taken_by", customer).Error; err != nil {
		return err
	}
	return tx.Commit().Error
}
