package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/server/database"
)

// checkServer rejects what does not go with a real server.
func (x *exploreCmd) checkServer() error {
	switch {
	case x.DSN != "" && x.Confirm != "":
		return errors.New("--confirm does not go with --dsn: what is found on a server needs no confirmation")
	case x.Compare && x.DSN == "":
		return errors.New("--compare goes with --dsn: it compares a real server with the model")
	case x.DSN != "" && (x.Checkpoint != "" || x.Resume != "" || x.List || x.Base != "" || x.Workers > 1):
		return errors.New("--dsn does not go with --checkpoint, --resume, --list, --base and --workers: schedules run one after another, each from the beginning")
	case (x.DSN != "" || x.Confirm != "") && x.Many.Cluster != "":
		return errors.New("--cluster does not go with --dsn and --confirm: the server is for one process")
	case x.Compare && x.Format != "text" && x.Format != "json":
		return errors.New("--compare goes with --format=text and --format=json")
	}
	x.Shown = x.Compare
	return nil
}

// driveOn is drive with a database, which programs have for that time, where the flags name one.
func driveOn(f database.Flags, c driver.Config, stdout, stderr *os.File) int {
	sig := signals.Catch()
	defer sig.Stop()
	c.Version, c.Worded = version(), worded
	p := driver.Process{Stdout: stdout, Stderr: stderr, Soft: sig.Soft, Hard: sig.Hard}
	if f.DSN == "" {
		return int(driver.Run(c, p))
	}
	loan, err := database.Lend(sig.Soft, f.DSN, f.YesScratch)
	if err != nil {
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	}
	c.Server.DSN, c.Server.Kind = loan.Where()
	status := int(driver.Run(c, p))
	if err := loan.End(); err != nil {
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	}
	return status
}
