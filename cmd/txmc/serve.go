package main

import (
	"fmt"
	"os"

	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/server/mock"
)

// serveCmd is the command line of txmc serve.
type serveCmd struct{ mock.Serving }

// Help is what txmc serve --help says beyond the flags.
func (*serveCmd) Help() string {
	return `Serves a PostgreSQL database that answers as PostgreSQL does when it is busy and unlucky: the time at which statements
run is drawn at random. With --iso=rc, ra, cc, pc, si or ser it answers each read with any value that this level allows instead.
Any client connects to the address that is printed first. It begins with what --schema names; clients may change the schema.
SIGTERM lets open transactions end, for ten seconds, and prints counts.

Exit status: 0 when it was asked to end; 2 when it could not serve.`
}

func (x *serveCmd) check() error { return x.Serving.Check() }

func (x *serveCmd) run(stdout, stderr *os.File) int {
	sig := signals.Catch()
	defer sig.Stop()
	if err := x.Serving.Run(sig.Soft, sig.Hard, stdout); err != nil {
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	}
	return statusOK
}
