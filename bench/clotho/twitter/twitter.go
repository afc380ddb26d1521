// Package twitter is the Twitter benchmark of OLTP-Bench on database/sql, with the
// transaction by which a user follows another one that CLOTHO's version has.
package twitter

import (
	"context"
	"database/sql"
	_ "embed"
)

// Schema makes the tables.
//
//go:embed schema.sql
var Schema string

// Service has the transactions.
type Service struct{ db *sql.DB }

// New returns a service.
func New(db *sql.DB) *Service { return &Service{db} }

func (s *Service) run(ctx context.Context, f func(*sql.Tx) error) error {
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

// texts reads the only column of rows.
func texts(rows *sql.Rows, err error) (list []string, _ error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, rows.Err()
}

// GetTweet reads a tweet.
func (s *Service) GetTweet(ctx context.Context, id int64) (text string, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT text FROM tweets WHERE id = $1", id).Scan(&text)
	return text, err
}

// GetTweetsFromFollowing reads the tweets of the one whom a user follows.
func (s *Service) GetTweetsFromFollowing(ctx context.Context, user int) (list []string, err error) {
	err = s.run(ctx, func(tx *sql.Tx) error {
		var other int
		if err := tx.QueryRowContext(ctx, "SELECT f2 FROM follows WHERE f1 = $1 ORDER BY f2 LIMIT 1", user).Scan(&other); err != nil {
			return err
		}
		list, err = texts(tx.QueryContext(ctx, "SELECT text FROM tweets WHERE uid = $1 ORDER BY text LIMIT 10", other))
		return err
	})
	return list, err
}

// GetFollowers reads the name of one who follows a user.
func (s *Service) GetFollowers(ctx context.Context, user int) (name string, err error) {
	err = s.run(ctx, func(tx *sql.Tx) error {
		var other int
		if err := tx.QueryRowContext(ctx, "SELECT f2 FROM followers WHERE f1 = $1 ORDER BY f2 LIMIT 1", user).Scan(&other); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT name FROM user_profiles WHERE uid = $1", other).Scan(&name)
	})
	return name, err
}

// GetUserTweets reads a user's tweets.
func (s *Service) GetUserTweets(ctx context.Context, user int) ([]string, error) {
	return texts(s.db.QueryContext(ctx, "SELECT text FROM tweets WHERE uid = $1 ORDER BY text LIMIT 10", user))
}

// InsertTweet adds a tweet.
func (s *Service) InsertTweet(ctx context.Context, user int, text string) error {
	_, err := s.db.ExecContext(ctx, "INSERT INTO tweets (uid, text) VALUES ($1, $2)", user, text)
	return err
}

// Follow lets a user follow another one: both tables say so.
func (s *Service) Follow(ctx context.Context, user, other int) error {
	return s.run(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO follows (f1, f2) VALUES ($1, $2)", user, other); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO followers (f1, f2) VALUES ($1, $2)", other, user)
		return err
	})
}
