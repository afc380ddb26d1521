// Package voter is the Voter benchmark (VoltDB, OLTP-Bench) on database/sql.
package voter

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

// mostVotes is how often a phone may vote.
const mostVotes = 1

var (
	errContestant = errors.New("there is no such contestant")
	errLimit      = errors.New("the phone has voted")
)

// Poll has the transaction.
type Poll struct{ db *sql.DB }

// New returns a poll.
func New(db *sql.DB) *Poll { return &Poll{db} }

// Vote votes for a contestant.
func (p *Poll) Vote(ctx context.Context, phone int64, area, contestant int) error {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	err = tx.QueryRowContext(ctx, "SELECT contestant_number FROM contestants WHERE contestant_number = $1", contestant).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return errContestant
	}
	if err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM votes WHERE phone_number = $1", phone).Scan(&n); err != nil {
		return err
	}
	if n >= mostVotes {
		return errLimit
	}
	state := "XX"
	err = tx.QueryRowContext(ctx, "SELECT state FROM area_code_state WHERE area_code = $1", area).Scan(&state)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO votes (phone_number, state, contestant_number) VALUES ($1, $2, $3)", phone, state, contestant)
	if err != nil {
		return err
	}
	return tx.Commit()
}
