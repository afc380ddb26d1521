package store_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"example.com/shop/store"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

func TestBuy(t *testing.T) { txmc.Check(t, exploreBuy) }

func exploreBuy(p *txmc.Program) {
	ctx := context.Background()
	db := pg.New(p, pg.SchemaFS(os.DirFS("migrations"), "*.up.sql"), pg.Seed(`INSERT INTO product VALUES (1, 5)`))
	p.Sessions(2, "buyer", func(s *txmc.Session, _ int) {
		pool, err := pgxpool.New(ctx, db.DSN(s)) // a pool of this session's
		s.Assert(err == nil, err)
		defer pool.Close()
		err = store.New(pool).Buy(ctx, 1)
		s.Assert(err == nil || errors.Is(err, store.ErrSoldOut), err)
	})
	p.Serializable("sold as one after another")
}
