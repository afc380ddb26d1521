// Package wikipedia is the Wikipedia benchmark of OLTP-Bench on database/sql.
package wikipedia

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
)

// Schema makes the tables.
//
//go:embed schema.sql
var Schema string

var errEdited = errors.New("the page has been edited meanwhile")

// Site has the transactions.
type Site struct{ db *sql.DB }

// New returns a site.
func New(db *sql.DB) *Site { return &Site{db} }

func (s *Site) run(ctx context.Context, f func(*sql.Tx) error) error {
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

// AddWatchList lets a user watch a page.
func (s *Site) AddWatchList(ctx context.Context, user, namespace int, title string) error {
	return s.run(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO watchlist (wl_user, wl_namespace, wl_title) VALUES ($1, $2, $3)", user, namespace, title); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE useracct SET user_touched = user_touched + 1 WHERE user_id = $1", user)
		return err
	})
}

// RemoveWatchList ends that.
func (s *Site) RemoveWatchList(ctx context.Context, user, namespace int, title string) error {
	return s.run(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM watchlist WHERE wl_user = $1 AND wl_namespace = $2 AND wl_title = $3", user, namespace, title); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE useracct SET user_touched = user_touched + 1 WHERE user_id = $1", user)
		return err
	})
}

// GetPageAnonymous reads the newest revision of a page.
func (s *Site) GetPageAnonymous(ctx context.Context, namespace int, title string) (text string, err error) {
	err = s.run(ctx, func(tx *sql.Tx) error {
		text, err = latest(ctx, tx, namespace, title)
		return err
	})
	return text, err
}

// GetPageAuthenticated does so for a user.
func (s *Site) GetPageAuthenticated(ctx context.Context, user, namespace int, title string) (text string, err error) {
	err = s.run(ctx, func(tx *sql.Tx) error {
		var name string
		if err := tx.QueryRowContext(ctx, "SELECT user_name FROM useracct WHERE user_id = $1", user).Scan(&name); err != nil {
			return err
		}
		text, err = latest(ctx, tx, namespace, title)
		return err
	})
	return text, err
}

// latest reads the newest revision.
func latest(ctx context.Context, tx *sql.Tx, namespace int, title string) (content string, err error) {
	var page, revision, text int
	if err := tx.QueryRowContext(ctx, "SELECT page_id, page_latest FROM page WHERE page_namespace = $1 AND page_title = $2", namespace, title).Scan(&page, &revision); err != nil {
		return "", err
	}
	if err := tx.QueryRowContext(ctx, "SELECT rev_text_id FROM revision WHERE rev_page = $1 AND rev_id = $2", page, revision).Scan(&text); err != nil {
		return "", err
	}
	err = tx.QueryRowContext(ctx, "SELECT old_text FROM text WHERE old_id = $1", text).Scan(&content)
	return content, err
}

// UpdatePage edits a page of which the user has read a revision.
func (s *Site) UpdatePage(ctx context.Context, user, namespace int, title, content string, read int) error {
	return s.run(ctx, func(tx *sql.Tx) error {
		var page, last int
		if err := tx.QueryRowContext(ctx, "SELECT page_id, page_latest FROM page WHERE page_namespace = $1 AND page_title = $2", namespace, title).Scan(&page, &last); err != nil {
			return err
		}
		if last != read {
			return errEdited
		}
		var text, revision int
		if err := tx.QueryRowContext(ctx, "INSERT INTO text (old_text) VALUES ($1) RETURNING old_id", content).Scan(&text); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "INSERT INTO revision (rev_page, rev_text_id, rev_user) VALUES ($1, $2, $3) RETURNING rev_id", page, text, user).Scan(&revision); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE page SET page_latest = $1, page_touched = page_touched + 1 WHERE page_id = $2", revision, page); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE watchlist SET wl_notification = $1 WHERE wl_title = $2 AND wl_namespace = $3 AND wl_user <> $4", revision, title, namespace, user); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE useracct SET user_editcount = user_editcount + 1 WHERE user_id = $1", user)
		return err
	})
}
