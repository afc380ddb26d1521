package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// OrdersDescriptor is the file descriptor from which a harness reads what the command
// tells it while it runs: of ModeParts a [Command] a line, and with Request.Elsewhere an
// explore.Answer to each explore.Question.
const OrdersDescriptor = 4

// Command is what a harness of ModeParts is told. Each Order is answered by a line: an
// explore.Part, or the error that the part has met. Stop ends the order of that ID early,
// with what it has come to, and Leave at once, with or without; the line comes all the
// same.
type Command struct {
	Order *explore.Order `json:"order,omitempty"`
	Stop  string         `json:"stop,omitempty"`
	Leave string         `json:"leave,omitempty"`
}

// orders reads lines of JSON.
func orders() *json.Decoder {
	keepToSelf(OrdersDescriptor)
	return json.NewDecoder(bufio.NewReader(os.NewFile(OrdersDescriptor, "orders")))
}

// ask lets the command explore in other processes.
func ask(s *sink, in *json.Decoder) explore.Elsewhere {
	return func(_ context.Context, q *explore.Question) (*explore.Answer, error) {
		s.Event(q)
		a := &explore.Answer{}
		if err := in.Decode(a); err != nil {
			return nil, fmt.Errorf("no answer from the cluster: %w", err)
		}
		return a, nil
	}
}

// serve explores parts, one after another, until nobody tells it to any more.
func serve(ctx context.Context, r *explore.Run, programs []Program, in *json.Decoder) error {
	s := &server{Run: r, programs: programs, clients: map[explore.Place]*program.Client{}}
	todo := make(chan *order)
	read := make(chan error, 1)
	go func() { read <- s.read(ctx, in, todo) }()
	for {
		select {
		case o := <-todo:
			s.explore(o)
			o.cancel()
		case err := <-read:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// server explores parts.
type server struct {
	*explore.Run
	programs []Program
	clients  map[explore.Place]*program.Client // by program, and level where it has numbers of its own
}

// order is an order that can be stopped.
type order struct {
	*explore.Order
	ctx    context.Context
	cancel context.CancelFunc
	stop   func()
}

func newOrder(ctx context.Context, o *explore.Order) *order {
	stop := make(chan struct{})
	o.Stop = stop
	n := &order{Order: o, stop: sync.OnceFunc(func() { close(stop) })}
	n.ctx, n.cancel = context.WithCancel(ctx)
	return n
}

// read reads commands. It hands on orders. It stops the one under way, also when nobody
// is left to take its result.
func (s *server) read(ctx context.Context, in *json.Decoder, todo chan<- *order) error {
	var last *order
	defer func() {
		if last != nil {
			last.cancel()
		}
	}()
	for {
		var c Command
		if err := in.Decode(&c); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("cannot read what to do: %w", err)
		}
		switch {
		case c.Order != nil:
			last = newOrder(ctx, c.Order)
			select {
			case todo <- last:
			case <-ctx.Done():
				return nil
			}
		case last != nil && last.ID == c.Stop:
			last.stop()
		case last != nil && last.ID == c.Leave:
			last.cancel()
		}
	}
}

// explore explores a part. Its line is sent whatever happens.
func (s *server) explore(o *order) {
	level, err := isolation.Parse(o.Iso)
	if err != nil {
		s.Sink.Event(report.NewError(s.Package, o.Program, o.Iso, err))
		return
	}
	client, err := s.client(o, level)
	if o.ctx.Err() != nil {
		s.Sink.Event(&explore.Part{Type: explore.TypePart, ID: o.ID, Place: o.Place, Stopped: work.ByInterrupt})
		return
	}
	if err != nil {
		s.Sink.Event(report.NewError(s.Package, o.Program, o.Iso, err))
		return
	}
	r := *s.Run
	r.Task = o.Explore
	// An error is an event.
	if r.Level(o.ctx, client, level) != nil {
		clear(s.clients) // no client code of this client runs any more
	}
}

// client returns the client of an order. Parts share the behaviours that were recorded, at
// levels of databases those of one level. But where a frontier has numbers of another
// process, as one of a checkpoint has, the part has a client of its own.
func (s *server) client(o *order, level isolation.Level) (*program.Client, error) {
	key, database := explore.Place{Program: o.Program}, level.Database() != isolation.NoDatabase
	if database {
		key.Iso = o.Iso
	}
	own := o.Frontier != nil && o.Frontier.Memory != nil
	if c := s.clients[key]; c != nil && !own {
		return c, nil
	}
	for _, p := range s.programs {
		if p.Name != o.Program {
			continue
		}
		c, err := s.Prepare(o.ctx, p)
		if err != nil {
			return nil, err
		}
		if database {
			if c, err = c.DatabaseAt(level.String()); err != nil {
				return nil, err
			}
		}
		if !own {
			clear(s.clients)
			s.clients[key] = c
		}
		return c, nil
	}
	return nil, fmt.Errorf("there is no function %s in the package", o.Program)
}
