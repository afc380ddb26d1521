package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/explore/cluster"
)

// workerCmd is the command line of txmc worker.
type workerCmd struct {
	cluster.Options
	Workers int `placeholder:"N" help:"Goroutines that explore; one for each core by default."`
}

// Help is what txmc worker --help says beyond the flags.
func (*workerCmd) Help() string {
	return `Explores for txmc explore --cluster on other machines, until it is interrupted: then what it is at is sent, and the rest
is for others. It needs nothing but this command, in the build of the one that explores, on the same platform.

It runs the programs that it is sent: whoever can write to the servers can run code here.

Exit status: 0 when it was interrupted; 2 when it could not work, or was refused.`
}

func (x *workerCmd) check() error {
	switch {
	case x.Cluster == "" || x.Cluster == cluster.Embedded:
		return errors.New("--cluster=URL is missing: name the servers, as for txmc explore")
	case x.Workers < 0:
		return errors.New("--workers is negative: give a number, or leave it out for one for each core")
	}
	return x.Options.Check()
}

func (x *workerCmd) run(_, stderr *os.File) int {
	sig := signals.Catch()
	defer sig.Stop()
	log := func(format string, args ...any) { fmt.Fprintf(stderr, "txmc: "+format+"\n", args...) }
	w := &cluster.Worker{Goroutines: x.Workers, Cache: cluster.DefaultCache(), Output: stderr, Log: log}
	if err := w.Work(sig.Soft, sig.Hard, &x.Options); err != nil {
		log("%v", err)
		return statusError
	}
	return statusOK
}
