// Package wrapped has a database in a struct of its own, which is opened by a configuration, and a service that needs a log and
// a cache besides.
package wrapped

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Schema makes the table.
const Schema = `CREATE TABLE product (id int PRIMARY KEY, stock int NOT NULL);`

// Config says where the database is.
type Config struct {
	Database struct {
		Host, User, Password, Name string
		Port                       uint16
	}
	MaxConns int32
}

// DB is the database with what the application knows of it.
type DB struct {
	*pgxpool.Pool
	tries int
}

// Connect opens the database. It refuses a configuration that is not filled.
func Connect(ctx context.Context, c *Config) (*DB, func(), error) {
	d := c.Database
	config, err := pgxpool.ParseConfig(fmt.Sprintf("postgres://%s:%s@%s:%d/%s?sslmode=disable", d.User, d.Password, d.Host, d.Port, d.Name))
	if err != nil {
		return nil, nil, err
	}
	config.MaxConns = c.MaxConns
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, nil, err
	}
	return &DB{pool, 1}, pool.Close, nil
}

// Log is told what is done.
type Log interface {
	Infof(format string, args ...any)
}

// Cache keeps numbers.
type Cache interface {
	Get(ctx context.Context, key string) (int, error)
	Set(ctx context.Context, key string, n int) error
}

type products struct{ db *DB }

// NewProducts makes the repository.
func NewProducts(db *DB) *products { return &products{db} }

// Stock is the stock of a product.
func (p *products) Stock(ctx context.Context, id int) (n int, err error) {
	err = p.db.QueryRow(ctx, "SELECT stock FROM product WHERE id = $1", id).Scan(&n)
	return n, err
}

// Service sells products.
type Service struct {
	products *products
	log      Log
	cache    Cache
}

// NewService makes it.
func NewService(p *products, l Log, c Cache) *Service { return &Service{p, l, c} }

// Buy takes one of a product.
func (s *Service) Buy(ctx context.Context, id int) error {
	s.log.Infof("buying %d", id)
	n, err := s.cache.Get(ctx, "product")
	if err != nil {
		n, err = s.products.Stock(ctx, id)
	}
	if err != nil {
		return err
	}
	if n < 1 {
		return errors.New("sold out")
	}
	if _, err := s.products.db.Exec(ctx, "UPDATE product SET stock = $2 WHERE id = $1", id, n-1); err != nil {
		return err
	}
	return s.cache.Set(ctx, "product", n-1)
}

// Run is the program.
func Run(c *Config) error {
	ctx := context.Background()
	db, end, err := Connect(ctx, c)
	if err != nil {
		return err
	}
	defer end()
	_, err = db.Exec(ctx, "UPDATE product SET stock = 10")
	return err
}
