// Package dump has a schema as pg_dump writes it.
package dump

import (
	"context"
	"database/sql"
)

// Take takes one from the stock.
func Take(ctx context.Context, db *sql.DB, id int) error {
	_, err := db.ExecContext(ctx, "UPDATE product SET stock = stock - 1 WHERE id = $1", id)
	return err
}
