// Package serverlock keeps locks of servers in a table.
package serverlock

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

const Schema = `
CREATE TABLE server_lock (
	id             BIGINT AUTO_INCREMENT PRIMARY KEY,
	operation_uid  VARCHAR(100) NOT NULL,
	last_execution BIGINT NOT NULL,
	UNIQUE KEY uq_operation (operation_uid)
);`

var ErrHeld = errors.New("the lock is held")

type Store struct{ db *sql.DB }

func New(db *sql.DB) *Store { return &Store{db} }

// Acquire takes the lock of an operation; Release deletes its row.
func (s *Store) Acquire(ctx context.Context, op string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var id int64
	err = tx.QueryRowContext(ctx, `SELECT id FROM server_lock WHERE operation_uid = ? FOR UPDATE`, op).Scan(&id)
	if err == nil {
		return ErrHeld
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO server_lock (operation_uid, last_execution) VALUES (?, ?)`, op, now()); err != nil {
		return err
	}
	return tx.Commit()
}

// Release gives the lock back.
func (s *Store) Release(ctx context.Context, op string) error {
	_, err := s.db.ExecContext(ctx, `DELETE FROM server_lock WHERE operation_uid = ?`, op)
	return err
}

var now = func() int64 { return time.Now().Unix() }
