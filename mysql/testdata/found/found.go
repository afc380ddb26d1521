// Package found is a shop on MySQL, of which txmc find has no program: some of its
// functions go wrong side by side, others do the same in a way that does not.
package found

import (
	"context"
	"database/sql"
	"errors"
)

// Schema makes the tables.
const Schema = `
CREATE TABLE product (
	id   INT PRIMARY KEY,
	stock INT NOT NULL
);
CREATE TABLE visits (
	page VARCHAR(40) PRIMARY KEY,
	n    INT NOT NULL
);
CREATE TABLE booking (
	id   BIGINT AUTO_INCREMENT PRIMARY KEY,
	room INT NOT NULL,
	KEY (room)
);`

// Shop is the application.
type Shop struct{ db *sql.DB }

// New returns a shop.
func New(db *sql.DB) *Shop { return &Shop{db} }

var errNone = errors.New("there is none left")

// Buy reads how many there are, and writes what is left.
func (s *Shop) Buy(ctx context.Context, product int) error {
	return s.within(ctx, func(tx *sql.Tx) error {
		var stock int
		if err := tx.QueryRowContext(ctx, "SELECT stock FROM product WHERE id = ?", product).Scan(&stock); err != nil {
			return err
		}
		if stock < 1 {
			return errNone
		}
		_, err := tx.ExecContext(ctx, "UPDATE product SET stock = ? WHERE id = ?", stock-1, product)
		return err
	})
}

// BuyLocked is Buy with a lock.
func (s *Shop) BuyLocked(ctx context.Context, product int) error {
	return s.within(ctx, func(tx *sql.Tx) error {
		var stock int
		if err := tx.QueryRowContext(ctx, "SELECT stock FROM product WHERE id = ? FOR UPDATE", product).Scan(&stock); err != nil {
			return err
		}
		if stock < 1 {
			return errNone
		}
		_, err := tx.ExecContext(ctx, "UPDATE product SET stock = ? WHERE id = ?", stock-1, product)
		return err
	})
}

// Visit counts a visit.
func (s *Shop) Visit(ctx context.Context, page string) error {
	_, err := s.db.ExecContext(ctx, "INSERT INTO visits (page, n) VALUES (?, 1) ON DUPLICATE KEY UPDATE n = n + 1", page)
	return err
}

// Reset begins to count again, unless there is nothing to forget.
func (s *Shop) Reset(ctx context.Context, page string) error {
	return s.within(ctx, func(tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT n FROM visits WHERE page = ? LOCK IN SHARE MODE", page).Scan(&n); err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		_, err := tx.ExecContext(ctx, "REPLACE INTO visits (page, n) VALUES (?, 0)", page)
		return err
	})
}

// Book books a room that nobody has booked.
func (s *Shop) Book(ctx context.Context, room int) error {
	return s.within(ctx, func(tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM booking WHERE room = ?", room).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			return errNone
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO booking (room) VALUES (?)", room)
		return err
	})
}

func (s *Shop) within(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
