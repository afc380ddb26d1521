// Package migrating has a store that makes its schema when it is opened, by goose, which notes in the database what it has done.
package migrating

import (
	"context"
	"database/sql"
	"embed"
	"errors"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Store has the products.
type Store struct{ db *sql.DB }

// NewStore opens the database, and brings its schema up to date.
func NewStore(dsn string) (*Store, error) {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return nil, err
	}
	goose.SetBaseFS(migrations)
	goose.SetLogger(goose.NopLogger())
	if err := errors.Join(goose.SetDialect("postgres"), goose.Up(db, "migrations")); err != nil {
		return nil, err
	}
	return &Store{db}, nil
}

// Take reads the stock and then writes what is left.
func (s *Store) Take(ctx context.Context, id int64) error {
	var stock int64
	if err := s.db.QueryRowContext(ctx, "SELECT stock FROM product WHERE id = $1", id).Scan(&stock); err != nil {
		return err
	}
	if stock < 1 {
		return errors.New("sold out")
	}
	_, err := s.db.ExecContext(ctx, "UPDATE product SET stock = $1 WHERE id = $2", stock-1, id)
	return err
}
