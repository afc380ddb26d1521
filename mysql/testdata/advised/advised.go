// Package advised is code on MySQL with mistakes of which each can be mended in several ways.
package advised

import (
	"context"
	"database/sql"
	"errors"
)

// Schema makes the tables.
const Schema = `
CREATE TABLE post (id INT PRIMARY KEY, likes INT NOT NULL);
CREATE TABLE booking (id BIGINT AUTO_INCREMENT PRIMARY KEY, room INT NOT NULL);`

var errTaken = errors.New("the room is taken")

// Like counts one more.
func Like(ctx context.Context, db *sql.DB, id int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var likes int
	if err := tx.QueryRowContext(ctx, "SELECT likes FROM post WHERE id = ?", id).Scan(&likes); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE post SET likes = ? WHERE id = ?", likes+1, id); err != nil {
		return err
	}
	return tx.Commit()
}

// Book books a room that nobody has booked.
func Book(ctx context.Context, db *sql.DB, room int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM booking WHERE room = ?", room).Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		return errTaken
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO booking (room) VALUES (?)", room); err != nil {
		return err
	}
	return tx.Commit()
}
