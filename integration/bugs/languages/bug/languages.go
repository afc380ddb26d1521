// Package languages keeps languages.
package languages

import (
	"context"

	"gorm.io/gorm"
)

const Schema = `
CREATE TABLE languages (
	id   bigserial PRIMARY KEY,
	code text NOT NULL UNIQUE,
	uses bigint NOT NULL DEFAULT 0
);`

type Language struct {
	ID   int64
	Code string
	Uses int64
}

type Repo struct{ db *gorm.DB }

func New(db *gorm.DB) *Repo { return &Repo{db} }

// Use counts the use of a language, which is made if it is not there.
func (r *Repo) Use(ctx context.Context, code string) error {
	return r.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		l := Language{Code: code}
		if err := tx.Where(Language{Code: code}).FirstOrCreate(&l).Error; err != nil {
			return err
		}
		return tx.Model(&l).Update("uses", gorm.Expr("uses + 1")).Error
	})
}
