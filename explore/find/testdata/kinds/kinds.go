// Package kinds has arguments of types that are made of others.
package kinds

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// Schema makes the table.
const Schema = "CREATE TABLE account (id uuid PRIMARY KEY, kind text NOT NULL, n int NOT NULL); CREATE TABLE points (id varchar(50) PRIMARY KEY, n int NOT NULL); CREATE TABLE tagged (id int PRIMARY KEY, n int NOT NULL, attrs jsonb);"

// ID identifies an account.
type ID [16]byte

// UnmarshalText reads an ID.
func (id *ID) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(strings.ReplaceAll(string(text), "-", ""))
	if err != nil || copy(id[:], b) != len(id) {
		return errors.New("no ID")
	}
	return nil
}

// Value is the ID for the database.
func (id ID) Value() (driver.Value, error) { return hex.EncodeToString(id[:]), nil }

// Kind is a kind of account.
type Kind string

// Kinds.
const (
	None    Kind = ""
	Savings Kind = "savings"
)

// Option changes what Take does. Nobody else can name its argument.
type Option func(*options)

type options struct{ left int64 }

// Take takes from an account. All but the first two arguments have to be there.
func Take(ctx context.Context, db *sql.DB, id ID, kind Kind, note *string, at *time.Time, n sql.NullInt64, rate *float64, until sql.NullTime, log func(string, ...any) error, opts ...Option) error {
	o := options{}
	for _, opt := range opts {
		opt(&o)
	}
	if kind != Savings || note == nil || at == nil || at.IsZero() || !n.Valid || rate == nil || !until.Valid {
		return errors.New("an argument is not there")
	}
	if err := log("take %d", n.Int64); err != nil {
		return err
	}
	var have int64
	if err := db.QueryRowContext(ctx, "SELECT n FROM account WHERE id = $1", id).Scan(&have); err != nil {
		return err
	}
	if have < n.Int64+o.left {
		return errors.New("not enough")
	}
	_, err := db.ExecContext(ctx, "UPDATE account SET n = $2 WHERE id = $1", id, have-n.Int64)
	return err
}

// Text is an identifier that the database has as a text.
type Text [16]byte

// Scan reads one.
func (t *Text) Scan(v any) error {
	text, ok := v.(string)
	if !ok || len(text) != 36 {
		return errors.New("no identifier")
	}
	return (*ID)(t).UnmarshalText([]byte(text))
}

// Value is the text for the database.
func (t Text) Value() (driver.Value, error) {
	h := hex.EncodeToString(t[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:], nil
}

// Add adds a point to what it reads.
func Add(ctx context.Context, db *sql.DB, id Text) error {
	var there Text
	var n int
	if err := db.QueryRowContext(ctx, "SELECT id, n FROM points WHERE id = $1", id).Scan(&there, &n); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "UPDATE points SET n = $2 WHERE id = $1", there, n+1)
	return err
}

// Attrs are in a column of JSON.
type Attrs struct {
	Color string `json:"color"`
}

// Scan reads them, as drivers give them.
func (a *Attrs) Scan(value any) error {
	text, ok := value.([]byte)
	if !ok {
		return errors.New("no bytes")
	}
	return json.Unmarshal(text, a)
}

// Value is them for the database.
func (a Attrs) Value() (driver.Value, error) { return json.Marshal(a) }

// Tag counts what has attributes.
func Tag(ctx context.Context, db *sql.DB, id int, attrs Attrs) error {
	var n int
	if err := db.QueryRowContext(ctx, "SELECT n FROM tagged WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "UPDATE tagged SET n = $1, attrs = $2 WHERE id = $3", n+1, attrs, id)
	return err
}
