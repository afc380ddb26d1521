// Package likes counts likes and keeps names, with mistakes that have cheap remedies.
package likes

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
)

// Schema makes the tables.
//
//go:embed schema.sql
var Schema string

var errTaken = errors.New("the name is taken")

// Posts keeps posts and names.
type Posts struct{ db *sql.DB }

// New returns posts.
func New(db *sql.DB) *Posts { return &Posts{db} }

// Like reads the number and writes it: a concurrent like is lost.
func (p *Posts) Like(ctx context.Context, post, times int) error {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var likes int
	if err := tx.QueryRowContext(ctx, "SELECT likes FROM post WHERE id = $1", post).Scan(&likes); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE post SET likes = $1 WHERE id = $2", likes+times, post); err != nil {
		return err
	}
	return tx.Commit()
}

// Join looks whether a name is free and inserts it: two of a name may join.
func (p *Posts) Join(ctx context.Context, name string) error {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var taken bool
	if err := tx.QueryRowContext(ctx, "SELECT count(*) > 0 FROM member WHERE name = $1", name).Scan(&taken); err != nil {
		return err
	}
	if taken {
		return errTaken
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO member (name) VALUES ($1)", name); err != nil {
		return err
	}
	return tx.Commit()
}
