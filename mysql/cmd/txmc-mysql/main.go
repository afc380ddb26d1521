// Command txmc-mysql is txmc serve for MySQL: a server that answers each read with any value
// that an isolation level allows, drawn at random.
//
//	go run github.com/txmc/txmc/mysql/cmd/txmc-mysql@latest --iso=rc --schema=schema.sql --listen=127.0.0.1:3306
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/txmc/txmc/explore/schema"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/mysql/serve"
	"github.com/txmc/txmc/server/mock"
)

func main() {
	var x mock.Serving
	kong.Parse(&x, kong.Name("txmc-mysql"), kong.Description("Serves a MySQL database that answers each read with any value that an isolation level allows, drawn at random."))
	if err := run(&x); err != nil {
		fmt.Fprintln(os.Stderr, "txmc-mysql:", err)
		os.Exit(2)
	}
}

// run serves until SIGINT or SIGTERM; a second one does not wait for open transactions.
func run(x *mock.Serving) error {
	x.Protocol, x.MySQL = "mysql", front
	if err := x.Check(); err != nil {
		return err
	}
	soft, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	hard, end := context.WithCancel(context.Background())
	defer end()
	context.AfterFunc(soft, func() {
		stop()
		again, stop := signal.NotifyContext(hard, os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(again, func() { stop(); end() })
	})
	return x.Run(soft, hard, os.Stdout)
}

func front(o mock.Options, a mock.Admission, files []string) (mock.Front, error) {
	scripts, err := schema.Whole(files)
	if err != nil {
		return nil, fmt.Errorf("--schema: %w", err)
	}
	s, err := serve.NewServer(o, mysql.Scripts(scripts, nil))
	if err != nil {
		return nil, err
	}
	return s, s.Admit(a)
}
