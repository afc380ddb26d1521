package pg

import (
	"context"
	"errors"
	"net"
	"runtime"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/pg/wire"
)

// Connect runs the schema and the seed and returns a connection to PostgreSQL in this
// process, of no program: for who has questions about statements and tables. The server's
// notices go to notice. Call the function that it returns in the end.
func Connect(ctx context.Context, notice func(*pgconn.Notice), opts ...Option) (*pgconn.PgConn, func() error, error) {
	c := &config{}
	for _, o := range opts {
		o(c)
	}
	b, err := newBase(c)
	if err != nil {
		return nil, nil, err
	}
	x, err := b.engine.InstanceFrom(b.snapshot)
	if err != nil {
		return nil, nil, err
	}
	x.Version(c.version)
	parsed, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, nil, errors.Join(err, x.Close())
	}
	hub := wire.NewHub(x, unwatched{})
	parsed.DialFunc = func(context.Context, string, string) (net.Conn, error) { return hub.Dial(), nil }
	parsed.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { notice(n) }
	conn, err := pgconn.ConnectConfig(ctx, parsed)
	if err != nil {
		return nil, nil, errors.Join(err, x.Close())
	}
	return conn, func() error {
		err := errors.Join(conn.Close(ctx), x.Close())
		runtime.KeepAlive(b) // whose engine ends with it
		return err
	}, nil
}
