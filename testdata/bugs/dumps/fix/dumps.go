// Package dumps hands out dumps to be processed; what is done is in a table of its own.
package dumps

import (
	"context"
	"database/sql"
	"errors"
)

const Schema = `
CREATE TABLE dump (id bigint PRIMARY KEY, done boolean NOT NULL DEFAULT false);
CREATE TABLE result (id bigserial PRIMARY KEY, dump_id bigint NOT NULL);`

type Queue struct{ db *sql.DB }

func New(db *sql.DB) *Queue { return &Queue{db} }

// Process processes one dump that has no result. It reports its number, 0 for none.
func (q *Queue) Process(ctx context.Context) (int64, error) {
	tx, err := q.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var id int64
	err = tx.QueryRowContext(ctx, `SELECT id FROM dump d WHERE NOT done
		ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1`).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO result (dump_id) VALUES ($1)`, id); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE dump SET done = true WHERE id = $1`, id); err != nil {
		return 0, err
	}
	return id, tx.Commit()
}
