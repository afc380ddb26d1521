package main

import (
	"fmt"
	"os"

	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/server/database"
	"github.com/txmc/txmc/server/specs"
)

// specs runs files of isolationtester. explore explores those that have no permutations.
func (x *exploreCmd) specs(c driver.Config, stdout, stderr *os.File) int {
	s := specs.Command{Files: x.Packages, Run: x.Run, Level: isolation.PgRC, Orders: x.List, Expected: x.Expected, Compare: x.Compare != "", Stdout: stdout, Stderr: stderr}
	if x.Iso != "" || x.DB != "" {
		s.Level = x.Levels[0]
	}
	printed, explored, err := s.Read()
	if err != nil {
		fmt.Fprintln(stderr, "txmc:", worded(err))
		return statusError
	}
	status := statusOK
	if len(printed) > 0 {
		sig := signals.Catch()
		status = onLoan(sig.Soft, database.Flags{DSN: x.DSN, YesScratch: x.YesScratch}, &c.Server, stderr, func() int {
			s.DSN, s.Server = c.Server.DSN, "the server"
			return int(s.Print(sig.Soft, printed))
		})
		sig.Stop()
	}
	if len(explored) > 0 {
		c.Packages = explored
		status = worse(status, driveOn(x.server(), c, stdout, stderr))
	}
	return status
}
