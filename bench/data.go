package bench

import (
	"fmt"
	"io/fs"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/data"
)

// Own returns the project's own clients in the published format: five for each
// application, three sessions of three transactions each.
func Own() fs.FS { return sub("clients") }

func sub(dir string) fs.FS {
	fsys, err := fs.Sub(data.FS, dir)
	if err != nil {
		panic(err) // the name is a constant
	}
	return fsys
}

// scaled are the clients of a scaling experiment, largest first made and then cut
// down, so that each contains the smaller ones.
func scaled(kind string, apps []*client.App) ([]*client.Program, error) {
	return load(sub(kind), Own(), apps)
}

// cut returns the program's first sessions, and of each the first transactions.
func cut(p *client.Program, sessions, transactions int) *client.Program {
	c := *p
	c.Name = fmt.Sprintf("%s/%dx%d", p.Name, sessions, transactions)
	c.Sessions = nil
	for _, calls := range p.Sessions[:min(sessions, len(p.Sessions))] {
		c.Sessions = append(c.Sessions, calls[:min(transactions, len(calls))])
	}
	return &c
}
