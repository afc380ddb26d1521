package database

import (
	"context"
	"errors"

	"github.com/txmc/txmc/server/proxy"
	"github.com/txmc/txmc/server/proxy/mariadb"
	"github.com/txmc/txmc/server/scratch"
)

// Flags are the options of commands that run programs on a server.
type Flags struct {
	DSN        string `name:"dsn" placeholder:"DSN" help:"Run on a real server of PostgreSQL or MariaDB: postgres:temp and mariadb:temp start a throw-away one from this machine's programs; or an address such as postgres://user@host/txmc_db, of an empty database that is emptied afterwards."`
	YesScratch string `placeholder:"NAME" help:"The database of that name may be used although its name does not begin with txmc_."`
}

// Loan is a database in which programs run, for the time of a command. The process that
// holds the loan empties the database in the end, also when the process that used it was
// killed.
type Loan struct {
	*Database
	claim interface{ Release(context.Context) error }
}

// Lend opens the database of a DSN for programs. The database is empty, or was left by a
// run that was killed. yes is like that of Open.
func Lend(ctx context.Context, dsn, yes string) (*Loan, error) {
	d, err := Open(ctx, dsn, yes)
	if err != nil {
		return nil, err
	}
	l := &Loan{Database: d}
	if d.Kind == scratch.Postgres {
		l.claim, err = proxy.Take(ctx, l.dsn)
	} else {
		l.claim, err = mariadb.Take(ctx, l.mysql.FormatDSN())
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return l, nil
}

// Where says where programs run: the address of the database, for its drivers, and the
// kind of server.
func (l *Loan) Where() (dsn, kind string) {
	if l.Kind == scratch.Postgres {
		return l.dsn, ""
	}
	return l.mysql.FormatDSN(), "mariadb"
}

// End empties the database, and ends a throw-away server.
func (l *Loan) End() error {
	var err error
	if l.Server == nil { // all of it goes
		err = l.claim.Release(context.Background())
	}
	return errors.Join(err, l.Close())
}
