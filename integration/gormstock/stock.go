// Package gormstock sells a stock with gorm: its models, its migration, its
// transactions, and its errors.
//
// Sell reads a product and saves it: two sales keep one of the two changes.
// SellVersioned saves it only where nobody has changed it since (optimistic locking)
// and tries again.
//
// Levels:
//
//	ExploreSell: breaks at rc; holds at ra, cc, pc, si, ser
//	ExploreSellVersioned: holds at all
//	ExploreRegister: holds at all
package gormstock

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/pg"
)

// Product is a thing to sell.
type Product struct {
	ID      uint
	Name    string `gorm:"uniqueIndex;not null"`
	Left    int    `gorm:"not null;check:products_left,\"left\" >= 0"`
	Version int    `gorm:"not null"`
	Sales   []Sale
}

// Sale is a piece that was sold.
type Sale struct {
	ID        uint
	ProductID uint `gorm:"not null"`
	Buyer     string
}

var (
	errSoldOut = errors.New("sold out")
	errChanged = errors.New("somebody else has changed the product")
)

func open(db *sql.DB) (*gorm.DB, error) {
	return gorm.Open(postgres.New(postgres.Config{Conn: db}), &gorm.Config{Logger: logger.Default.LogMode(logger.Silent)})
}

// Migrate makes the tables.
func Migrate(ctx context.Context, db *sql.DB) error {
	g, err := open(db)
	if err != nil {
		return err
	}
	return g.WithContext(ctx).AutoMigrate(&Product{}, &Sale{})
}

// Fill makes the first product.
func Fill(ctx context.Context, db *sql.DB) error {
	g, err := open(db)
	if err != nil {
		return err
	}
	return g.WithContext(ctx).Create(&Product{Name: "lamp", Left: 2}).Error
}

// Sell sells a piece.
func Sell(g *gorm.DB, name, buyer string) error {
	return g.Transaction(func(tx *gorm.DB) error {
		var p Product
		if err := tx.Where("name = ?", name).First(&p).Error; err != nil {
			return err
		}
		if p.Left == 0 {
			return errSoldOut
		}
		p.Left--
		if err := tx.Save(&p).Error; err != nil {
			return err
		}
		return tx.Create(&Sale{ProductID: p.ID, Buyer: buyer}).Error
	})
}

// SellVersioned sells a piece of a product that nobody changes meanwhile.
func SellVersioned(g *gorm.DB, name, buyer string) error {
	for range 3 {
		err := sellVersioned(g, name, buyer)
		if !errors.Is(err, errChanged) {
			return err
		}
	}
	return errChanged
}

func sellVersioned(g *gorm.DB, name, buyer string) error {
	return g.Transaction(func(tx *gorm.DB) error {
		var p Product
		if err := tx.Preload("Sales").Where(&Product{Name: name}).Take(&p).Error; err != nil {
			return err
		}
		if p.Left == 0 {
			return errSoldOut
		}
		res := tx.Model(&Product{}).Where("id = ? AND version = ?", p.ID, p.Version).
			Updates(map[string]any{"left": p.Left - 1, "version": gorm.Expr("version + 1")})
		if res.Error != nil {
			return res.Error
		}
		if res.RowsAffected == 0 {
			return errChanged
		}
		return tx.Create(&Sale{ProductID: p.ID, Buyer: buyer}).Error
	})
}

// ExploreSell: two pieces, two buyers.
func ExploreSell(p *txmc.Program) { buyers(p, Sell) }

// ExploreSellVersioned: they look whether the product has changed.
func ExploreSellVersioned(p *txmc.Program) { buyers(p, SellVersioned) }

func declare(p *txmc.Program) *pg.DB {
	return pg.New(p, pg.SchemaFunc(Migrate), pg.SeedFunc(Fill))
}

func buyers(p *txmc.Program, sell func(g *gorm.DB, name, buyer string) error) {
	db := declare(p)
	for _, buyer := range []string{"ann", "bob"} {
		p.Session(buyer, func(s *txmc.Session) {
			g, err := open(db.Open(s))
			if err == nil {
				err = sell(g, "lamp", buyer)
			}
			s.Assert(err == nil || errors.Is(err, errChanged), err)
		})
	}
	db.Final("what is left", func(ctx context.Context, db *sql.DB) error {
		g, err := open(db)
		if err != nil {
			return err
		}
		var p Product
		if err := g.Preload("Sales").First(&p).Error; err != nil {
			return err
		}
		return txmc.Assertf(p.Left+len(p.Sales) == 2, "%d left, %d sold", p.Left, len(p.Sales))
	})
}

// ExploreRegister: two sessions register the same name and get PostgreSQL's errors.
func ExploreRegister(p *txmc.Program) {
	db := declare(p)
	for _, who := range []string{"ann", "bob"} {
		p.Session(who, func(s *txmc.Session) {
			g, err := open(db.Open(s))
			if err == nil {
				err = g.Create(&Product{Name: "chair", Left: 1}).Error
			}
			if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
				s.Assert(e.Code == "23505" && e.ConstraintName == "idx_products_name" && e.TableName == "products", fmt.Sprintf("%+v", e))
				return
			}
			s.Assert(err == nil, err)
			err = g.Model(&Product{}).Where("name = ?", "lamp").Update("left", -1).Error
			e := (*pgconn.PgError)(nil)
			s.Assert(errors.As(err, &e) && e.Code == "23514" && e.ConstraintName == "products_left", err)
			err = g.First(&Product{}, 77).Error
			s.Assert(errors.Is(err, gorm.ErrRecordNotFound), err)
		})
	}
	db.Final("one chair", func(ctx context.Context, db *sql.DB) error {
		g, err := open(db)
		if err != nil {
			return err
		}
		var n int64
		if err := g.Model(&Product{}).Where("name = ?", "chair").Count(&n).Error; err != nil {
			return err
		}
		return txmc.Assertf(n == 1, "%d chairs", n)
	})
}
