// Package layers has a service above a repository, which gives arguments by name.
package layers

import (
	"context"
	"embed"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

//go:embed sql/*.sql
var migrations embed.FS

// Wallets is the repository.
type Wallets interface {
	Close(ctx context.Context, id int) error
	Find(ctx context.Context, by string, id int, all bool) error
	Get(ctx context.Context, owner string) (int, error)
}

type wallets struct{ pool *pgxpool.Pool }

// NewWallets makes the repository.
func NewWallets(pool *pgxpool.Pool) (Wallets, error) { return &wallets{pool}, nil }

func (w *wallets) Close(ctx context.Context, id int) error {
	_, err := w.pool.Exec(ctx, "UPDATE wallet SET closed = true, note = '@id' /* @no */ WHERE id = @id AND owner = @owner AND id > @id -- @none", pgx.NamedArgs{"id": id, "owner": "me"})
	return err
}

func (w *wallets) Find(ctx context.Context, by string, id int, all bool) error {
	args := pgx.NamedArgs{"id": id}
	if all {
		args["id"] = 0
	}
	if _, err := w.pool.Exec(ctx, "SELECT 1 FROM wallet WHERE id = @id AND x = @missing", args); err != nil {
		return err
	}
	args[by] = id
	_, err := w.pool.Exec(ctx, "SELECT 2 FROM wallet WHERE id = @id", args)
	return err
}

// Get is no statement of a database, though its name and its text are those of one.
func (w *wallets) Get(ctx context.Context, owner string) (n int, err error) {
	err = w.pool.QueryRow(ctx, "SELECT id FROM wallet WHERE owner = $1", owner).Scan(&n)
	return n, err
}

// Service is the application.
type Service struct{ wallets Wallets }

// NewService makes one.
func NewService(w Wallets) *Service { return &Service{w} }

// Close closes a wallet.
func (s *Service) Close(ctx context.Context, id int) error { return s.wallets.Close(ctx, id) }

type rewriter int

func (rewriter) RewriteQuery(context.Context, *pgx.Conn, string, []any) (string, []any, error) {
	return "SELECT 1", nil, nil
}

// Rewritten sends what is made at run time.
func Rewritten(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, "SELECT 3", rewriter(1))
	return err
}

// Row is no layer.
type Row struct{ ID int }

// Last is a row.
func Last(pool *pgxpool.Pool) (*Row, error) { return nil, nil }

// Wrapped holds a pool.
type Wrapped struct{ pool *pgxpool.Pool }

// Wrap wraps one.
func Wrap(pool *pgxpool.Pool) *Wrapped { return &Wrapped{pool} }

// Peek is given one.
func Peek(ctx context.Context, w *Wrapped) error {
	_, err := w.pool.Exec(ctx, "SELECT 4 FROM wallet")
	return err
}

// MockWallets take the place of the repository in tests.
type MockWallets struct{}

// Close does nothing.
func (*MockWallets) Close(context.Context, int) error { return nil }

// Find does nothing.
func (*MockWallets) Find(context.Context, string, int, bool) error { return nil }

// Memory is a repository without a database.
type Memory struct{ closed map[int]bool }

// Close closes a wallet.
func (m *Memory) Close(_ context.Context, id int) error { m.closed[id] = true; return nil }

// Find finds nothing.
func (*Memory) Find(context.Context, string, int, bool) error { return nil }
