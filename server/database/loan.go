package database

import (
	"context"
	"errors"
	"fmt"

	"github.com/txmc/txmc/server/proxy"
	"github.com/txmc/txmc/server/scratch"
)

// Flags are the options of commands that run programs on a server.
type Flags struct {
	DSN        string `name:"dsn" placeholder:"DSN" help:"Run on a real PostgreSQL server: postgres:temp starts a throw-away one from this machine's programs; or an address such as postgres://user@host/txmc_db, of an empty database that is emptied afterwards."`
	YesScratch string `placeholder:"NAME" help:"The database of that name may be used although its name does not begin with txmc_."`
}

// Loan is a database in which programs run, for the time of a command. Who has it empties
// the database in the end, also when the process was killed that has used it.
type Loan struct {
	*Database
	claim *proxy.Claim
}

// Lend opens the database of a DSN for programs: one that is empty, or was left by a run
// that was killed. yes is as for Open.
func Lend(ctx context.Context, dsn, yes string) (*Loan, error) {
	d, err := Open(ctx, dsn, yes)
	if err != nil {
		return nil, err
	}
	l := &Loan{Database: d}
	if d.Kind != scratch.Postgres {
		return nil, errors.Join(fmt.Errorf("programs run on PostgreSQL, and %s is none: give postgres:temp, or the address of a PostgreSQL server", d.Version), d.Close())
	}
	if l.claim, err = proxy.Take(ctx, l.DSN()); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return l, nil
}

// DSN is the address of the database for PostgreSQL's drivers.
func (l *Loan) DSN() string { return l.dsn }

// End empties the database, and ends a throw-away server.
func (l *Loan) End() error {
	var err error
	if l.Server == nil { // all of it goes
		err = l.claim.Release(context.Background())
	}
	return errors.Join(err, l.Close())
}
