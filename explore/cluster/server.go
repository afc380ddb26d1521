package cluster

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// embedded is a server in this process. It listens to nobody else.
type embedded struct {
	*server.Server
	dir string
}

// serverWait is how long a server may take to begin, and to end.
const serverWait = 30 * time.Second

// embed starts a server that keeps its data below temp, "" being the system's place for
// such.
func embed(temp string) (*embedded, error) {
	dir, err := os.MkdirTemp(temp, "txmc-nats-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a directory for the cluster's server: %w", err)
	}
	s, err := server.NewServer(&server.Options{ServerName: "txmc", DontListen: true, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true})
	if err == nil {
		go s.Start()
		if !s.ReadyForConnections(serverWait) {
			err = errors.New("it does not begin")
		}
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("the cluster's server: %w", err)
	}
	return &embedded{s, dir}, nil
}

// connect connects to it.
func (e *embedded) connect(name string) (*nats.Conn, error) {
	return nats.Connect("", nats.Name(name), nats.InProcessServer(e.Server), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
}

// stop ends the server and removes its data.
func (e *embedded) stop() error {
	e.Shutdown()
	e.WaitForShutdown()
	return os.RemoveAll(e.dir)
}
