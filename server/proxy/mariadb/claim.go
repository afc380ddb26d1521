package mariadb

import (
	"context"
	"errors"
	"fmt"

	"github.com/txmc/txmc/server/proxy"
)

// Claim is the right to use a database, until Release.
type Claim struct{ d *Database } // its connection has a lock as long as the claim lasts

// Take claims a database. It must be empty, or be what a run of txmc has left that was
// killed: then it is emptied.
func Take(ctx context.Context, dsn string) (*Claim, error) {
	d, err := Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	c := &Claim{d}
	if err = c.lock(ctx); err == nil {
		err = c.inspect(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return c, nil
}

// lock takes the lock of who uses the database. One that has just been killed may have it
// for a moment.
func (c *Claim) lock(ctx context.Context) error {
	rows, err := c.d.query(ctx, "SELECT GET_LOCK("+literal("txmc "+c.d.config.DBName)+", 2)")
	if err == nil && rows[0][0] != "1" {
		err = proxy.ErrClaimed
	}
	return err
}

func (c *Claim) inspect(ctx context.Context) error {
	found, err := c.d.query(ctx, `SELECT 'the table or view ', table_name FROM information_schema.TABLES WHERE table_schema = database()
		UNION ALL SELECT 'the routine ', routine_name FROM information_schema.ROUTINES WHERE routine_schema = database()
		UNION ALL SELECT 'the event ', event_name FROM information_schema.EVENTS WHERE event_schema = database()`)
	if err != nil {
		return err
	}
	for _, row := range found {
		if row[1] == Mark {
			return c.d.Clear(ctx)
		}
	}
	if len(found) > 0 {
		return &proxy.NotEmptyError{Database: c.d.config.DBName, Object: found[0][0] + found[0][1]}
	}
	return c.d.Clear(ctx)
}

// Release empties the database and gives it up. It has an error where something is left
// there.
func (c *Claim) Release(ctx context.Context) error {
	err := empty(ctx, c.d.config.DBName, c.d.query, c.d.run)
	if err != nil {
		err = fmt.Errorf("something may be left in the database: %w", err)
	}
	return errors.Join(err, c.d.Close())
}

// Abandon gives the database up as it is, as the end of the process does.
func (c *Claim) Abandon() error { return c.d.Close() }
