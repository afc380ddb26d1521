// Package subscriptions keeps subscriptions.
package subscriptions

import (
	"context"
	"database/sql"
)

const Schema = `
CREATE TABLE subscription (
	user_id bigint NOT NULL,
	show_id bigint NOT NULL,
	status  text NOT NULL,
	PRIMARY KEY (user_id, show_id)
);`

type Store struct{ db *sql.DB }

func New(db *sql.DB) *Store { return &Store{db} }

const subscribe = `WITH ins AS (
	INSERT INTO subscription (user_id, show_id, status) VALUES ($1, $2, $3)
	ON CONFLICT (user_id, show_id) DO NOTHING
	RETURNING status
)
SELECT status FROM ins
UNION ALL
SELECT status FROM subscription WHERE user_id = $1 AND show_id = $2
LIMIT 1`

// Subscribe inserts a subscription if there is none, and returns the status of the one that is there.
func (s *Store) Subscribe(ctx context.Context, user, show int64, status string) (string, error) {
	var got string
	err := s.db.QueryRowContext(ctx, subscribe, user, show, status).Scan(&got)
	return got, err
}
