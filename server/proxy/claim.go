package proxy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Claim is the right to use a database, until Release.
type Claim struct {
	conn *pgconn.PgConn // has a lock as long as the claim lasts
}

// NotEmptyError is met when a database has objects that txmc has not made.
type NotEmptyError struct {
	Database string
	Object   string // one of them
}

// Error names the database and one of the objects.
func (e *NotEmptyError) Error() string {
	return fmt.Sprintf("the database %q is not empty: it has %s, which txmc has not made; give an empty database, and nothing of yours is touched", e.Database, e.Object)
}

// ErrClaimed is met when another run has the database.
var ErrClaimed = errors.New("another run of txmc has the database: wait for its end, or give another database")

// claimLock is the key of the advisory lock of who uses a database: "txmc".
const claimLock = 0x74786d63

// Take claims a database. It must be empty, or be what a run of txmc has left that was
// killed: then it is emptied.
func Take(ctx context.Context, dsn string) (c *Claim, err error) {
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	config.RuntimeParams["application_name"] = Application
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to the server: %w", err)
	}
	c = &Claim{conn}
	if err = c.lock(ctx); err == nil {
		err = c.inspect(ctx, config.Database)
	}
	if err != nil {
		return nil, errors.Join(err, c.close(ctx))
	}
	return c, nil
}

// lock takes the lock of who uses the database. One that has just been killed may have it
// for a moment.
func (c *Claim) lock(ctx context.Context) error {
	const tries, pause = 20, 100 * time.Millisecond
	for range tries {
		results, err := c.conn.Exec(ctx, fmt.Sprintf("SELECT pg_try_advisory_lock(%d)", claimLock)).ReadAll()
		if err != nil || string(results[0].Rows[0][0]) == "t" {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return ErrClaimed
}

// close gives the lock up, at once, and ends the connection.
func (c *Claim) close(ctx context.Context) error {
	_, err := c.conn.Exec(ctx, "SELECT pg_advisory_unlock_all()").ReadAll()
	return errors.Join(err, c.conn.Close(ctx))
}

func (c *Claim) inspect(ctx context.Context, name string) error {
	results, err := c.conn.Exec(ctx, fmt.Sprintf(`SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = '%[1]s');
		SELECT 'the table or view ' || k.oid::regclass FROM pg_class k JOIN pg_namespace n ON n.oid = k.relnamespace WHERE %[2]s
		UNION ALL SELECT 'the function ' || p.oid::regproc FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE %[2]s
		UNION ALL SELECT 'the type ' || t.typname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE %[2]s
		UNION ALL SELECT 'the schema ' || n.nspname FROM pg_namespace n WHERE n.nspname <> 'public' AND %[2]s
		UNION ALL SELECT 'a large object' FROM pg_largeobject_metadata LIMIT 1`, Schema, own)).ReadAll()
	if err != nil {
		return err
	}
	if found := results[1].Rows; len(found) > 0 && string(results[0].Rows[0][0]) == "f" {
		return &NotEmptyError{name, string(found[0][0])}
	}
	return c.clear(ctx)
}

// clear ends what runs in the database, and empties it.
func (c *Claim) clear(ctx context.Context) error {
	_, err := c.conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
		AND pid <> pg_backend_pid() AND application_name ~ '^`+Application+`( |$)'`).ReadAll()
	if err != nil {
		return err
	}
	return clearDatabase(ctx, c.conn)
}

// Release empties the database and gives it up. It has an error where something is left
// there.
func (c *Claim) Release(ctx context.Context) error {
	err := c.clear(ctx)
	if err == nil {
		_, err = c.conn.Exec(ctx, "DROP SCHEMA "+Schema).ReadAll()
	}
	if err != nil {
		err = fmt.Errorf("something may be left in the database: %w", err)
	}
	return errors.Join(err, c.close(ctx))
}
