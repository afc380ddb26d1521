// Package profiles keeps profiles.
package profiles

import (
	"context"

	"gorm.io/gorm"
)

const Schema = `
CREATE TABLE users (
	id    bigserial PRIMARY KEY,
	email text NOT NULL,
	phone text NOT NULL
);`

type User struct {
	ID    int64
	Email string
	Phone string
}

type Repo struct{ db *gorm.DB }

func New(db *gorm.DB) *Repo { return &Repo{db} }

// SetEmail changes the email of a user.
func (r *Repo) SetEmail(ctx context.Context, id int64, email string) error {
	return r.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var u User
		if err := tx.First(&u, id).Error; err != nil {
			return err
		}
		u.Email = email
		return tx.Save(&u).Error
	})
}

// SetPhone changes the phone of a user.
func (r *Repo) SetPhone(ctx context.Context, id int64, phone string) error {
	return r.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var u User
		if err := tx.First(&u, id).Error; err != nil {
			return err
		}
		u.Phone = phone
		return tx.Save(&u).Error
	})
}
