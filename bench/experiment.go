package bench

import (
	"io/fs"

	"github.com/txmc/txmc/bench/client"
)

// The experiments of the paper's section 7.3: (a) all applications with all
// algorithms, (b) more and more sessions, (c) more and more transactions per
// session. The last two are about CC only. Engines is not the paper's: it compares
// the two engines at SI and SER.
const (
	Applications = "applications"
	Sessions     = "sessions"
	Transactions = "transactions"
	Engines      = "engines"
)

// maxScale is how far sessions and transactions per session go.
const maxScale = 5

// job is a run to be made.
type job struct {
	experiment string
	program    *client.Program
	algorithm  Algorithm
}

// jobs lists the runs of an experiment. The clients of (a) are read from clients;
// those of (b) and (c) are the project's own.
func jobs(experiment string, apps []*client.App, clients fs.FS) ([]job, error) {
	var list []job
	if experiment == Applications || experiment == Engines {
		programs, err := Load(clients, apps)
		if err != nil {
			return nil, err
		}
		algorithms := Algorithms()
		if experiment == Engines {
			algorithms = engineAlgorithms()
			if len(apps) == len(Apps()) {
				programs = append(programs, accesses()...)
			}
		}
		for _, p := range programs {
			for _, a := range algorithms {
				list = append(list, job{experiment, p, a})
			}
		}
		return list, nil
	}
	programs, err := scaled(experiment, apps)
	if err != nil {
		return nil, err
	}
	for n := 1; n <= maxScale; n++ {
		for _, p := range programs {
			q := cut(p, n, 3)
			if experiment == Transactions {
				q = cut(p, 3, n)
			}
			list = append(list, job{experiment, q, Algorithms()[0]})
		}
	}
	return list, nil
}
