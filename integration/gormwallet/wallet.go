// Package gormwallet keeps wallets with gorm, which makes the tables of its types when the database is opened, by names of the
// application's own. It has a mistake, for txmc find.
package gormwallet

import (
	"errors"

	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// Wallet has money.
type Wallet struct {
	ID      int64
	Owner   string `gorm:"size:40;not null"`
	Balance int64  `gorm:"not null"`
}

// Entry is a payment from a wallet.
type Entry struct {
	ID       int64
	WalletID int64
	Wallet   Wallet
	Amount   int64
}

// Connect opens the database, and makes the tables.
func Connect(dsn string) (*gorm.DB, error) {
	db, err := gorm.Open(postgres.Open(dsn), &gorm.Config{
		NamingStrategy: schema.NamingStrategy{TablePrefix: "w_", SingularTable: true},
		TranslateError: true,
	})
	if err != nil {
		return nil, err
	}
	return db, db.AutoMigrate(&Wallet{}, &Entry{})
}

// Wallets is the application.
type Wallets struct{ db *gorm.DB }

// New makes it.
func New(db *gorm.DB) *Wallets { return &Wallets{db} }

// Pay takes money from a wallet, which it must have.
func (w *Wallets) Pay(id, amount int64) error {
	return w.db.Transaction(func(tx *gorm.DB) error {
		var wallet Wallet
		if err := tx.First(&wallet, id).Error; err != nil {
			return err
		}
		if wallet.Balance < amount {
			return errors.New("too little")
		}
		wallet.Balance -= amount
		if err := tx.Save(&wallet).Error; err != nil {
			return err
		}
		return tx.Create(&Entry{WalletID: id, Amount: amount}).Error
	})
}
