package mock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
)

// Serving says what to serve. The command has it as flags.
type Serving struct {
	Iso    string   `required:"" placeholder:"LEVEL" help:"Answer with everything that this level allows: rc, ra, cc, pc, si or ser."`
	Schema []string `placeholder:"FILE" help:"Make the schema and the first rows by the SQL of these files, in their order. Several with commas."`
	Listen string   `default:"127.0.0.1:5432" placeholder:"ADDR" help:"Listen on this loopback address; port 0 picks one. ${default} by default."`
	KV     bool     `name:"kv" help:"Serve keys and values over HTTP, with JSON, instead of PostgreSQL."`
	Seed   uint64   `default:"1" placeholder:"N" help:"Answers are the same for equal seeds, as far as clients do the same in the same order; ${default} by default."`
	Latest float64  `placeholder:"P" help:"A read takes the newest version that is allowed with this probability, 0 to 1; else any of those allowed. 0 by default."`
	Fresh  bool     `help:"Prefer versions that have been served least often."`
	Window int      `placeholder:"N" help:"Remember at least so many transactions, and about twice as many at most; 32 by default. A larger window serves older versions, and takes longer."`
	Record string   `placeholder:"FILE" help:"Record what was served as a history for txmc check, compressed if the name ends in .gz or .zst."`

	level isolation.Level
}

// Check says what is wrong with the options.
func (o *Serving) Check() (err error) {
	if o.level, err = isolation.Parse(o.Iso); err != nil {
		return fmt.Errorf("--iso: %w", err)
	}
	if o.KV && len(o.Schema) > 0 {
		return errors.New("--kv has no schema: leave out --schema")
	}
	options := o.options()
	return options.check()
}

func (o *Serving) options() Options {
	return Options{Level: o.level, Seed: o.Seed, Latest: o.Latest, Fresh: o.Fresh, Window: o.Window}
}

// Run serves until soft ends: then nobody is served who comes new, and transactions that
// are open may end, until hard ends or drain has passed. The address is the first line
// of what is printed, the counts are the last ones.
func (o *Serving) Run(soft, hard context.Context, out io.Writer) (err error) {
	l, err := Listen(o.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	serve, kv, address, err := o.make(l)
	if err != nil {
		return err
	}
	end, err := o.record(kv)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, address)
	err = serve(soft, hard)
	fmt.Fprint(out, kv.Counts())
	return errors.Join(err, end())
}

// make makes the server.
func (o *Serving) make(l net.Listener) (serve func(soft, hard context.Context) error, kv *KV, address string, err error) {
	if o.KV {
		if kv, err = NewKV(o.options()); err != nil {
			return nil, nil, "", err
		}
		return func(soft, hard context.Context) error { return serveHTTP(soft, hard, l, kv.Handler()) }, kv, "http://" + l.Addr().String(), nil
	}
	var schema []pg.Option
	for _, file := range o.Schema {
		if _, err := os.Stat(file); err != nil {
			return nil, nil, "", fmt.Errorf("--schema: %w", err)
		}
		schema = append(schema, pg.SchemaFS(os.DirFS(filepath.Dir(file)), filepath.Base(file)))
	}
	s, err := NewServer(o.options(), schema...)
	if err != nil {
		return nil, nil, "", err
	}
	return func(soft, hard context.Context) error { return s.serve(soft, hard, l) }, s.kv, DSN(l), nil
}

// drain is how long transactions that are open may take to end.
const drain = 10 * time.Second

func serveHTTP(soft, hard context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-soft.Done():
	}
	limit, cancel := context.WithTimeout(hard, drain)
	defer cancel()
	if err := server.Shutdown(limit); err != nil {
		return server.Close()
	}
	return nil
}

// serve is Serve that lets open transactions end.
func (s *Server) serve(soft, hard context.Context, l net.Listener) error {
	limit, cancel := context.WithCancel(hard)
	defer cancel()
	stop := context.AfterFunc(soft, func() {
		l.Close()
		over := time.Now().Add(drain)
		for limit.Err() == nil && time.Now().Before(over) && s.closeIdle() > 0 {
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	})
	defer stop()
	return s.accept(limit, l)
}

// closeIdle closes connections without a transaction, and returns how many are left.
func (s *Server) closeIdle() (left int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c.session.Open() {
			left++
		} else {
			c.close()
		}
	}
	return left
}

// record begins to record, if that is wanted. End ends it.
func (o *Serving) record(kv *KV) (end func() error, err error) {
	if o.Record == "" {
		return func() error { return nil }, nil
	}
	own, err := format.ByName("txmc")
	if err != nil {
		return nil, err
	}
	w, err := format.Create(o.Record, os.Stdout)
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	to, flush, err := own.Write(w)
	if err != nil {
		return nil, err
	}
	var failed error
	kv.Record(Recorder(to, func(err error) { failed = err }))
	return func() error {
		kv.mu.Lock()
		defer kv.mu.Unlock()
		return w.End(errors.Join(failed, flush()))
	}, nil
}

// String is the counts in lines for people.
func (c Counts) String() string {
	return fmt.Sprintf(`transactions  %d committed, %d rolled back, of which %d could not be served
reads         %d, of which %d had a choice and %d were stale
patterns      %d
`, c.Transactions, c.Aborted, c.Failed, c.Reads, c.Choices, c.Stale, c.Patterns)
}
