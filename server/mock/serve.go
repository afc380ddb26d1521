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
	"strconv"
	"strings"
	"time"

	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
)

// Serving says what to serve. The command has it as flags.
type Serving struct {
	Iso              string        `required:"" placeholder:"LEVEL" help:"Answer with everything that this level allows: rc, ra, cc, pc, si or ser."`
	Schema           []string      `placeholder:"FILE" help:"Make the schema and the first rows by the SQL of these files, in their order. Several with commas."`
	Listen           string        `default:"127.0.0.1:5432" placeholder:"ADDR" help:"Listen on this address; port 0 picks one. Without a password it has to be a loopback address. ${default} by default."`
	Password         string        `env:"TXMC_SERVE_PASSWORD" placeholder:"WORD" help:"Clients have to know this password, which they prove by SCRAM-SHA-256; with --kv by HTTP's basic authentication. Better given by the environment's TXMC_SERVE_PASSWORD."`
	Connections      int           `default:"1000" placeholder:"N" help:"Serve so many connections at a time, or sessions with --kv; ${default} by default."`
	MaxMessage       int           `default:"16777216" placeholder:"BYTES" help:"Refuse larger messages; ${default} by default."`
	StatementTimeout time.Duration `default:"5m" placeholder:"D" help:"End statements that take longer, also those that wait for a lock; ${default} by default, 0: none."`
	Protocol         string        `default:"postgres" enum:"postgres,mysql" placeholder:"PROTOCOL" help:"postgres, or mysql, which a command of its own serves: go run github.com/txmc/txmc/mysql/cmd/txmc-mysql@latest. ${default} by default."`
	KV               bool          `name:"kv" help:"Serve keys and values over HTTP, with JSON, instead of PostgreSQL."`
	Seed             uint64        `default:"1" placeholder:"N" help:"Answers are the same for equal seeds, as far as clients do the same in the same order; ${default} by default."`
	Bias             string        `default:"uniform" placeholder:"BIAS" help:"How answers are drawn: uniform: any version that is allowed; latest=P: the newest one with probability P, 0 to 1, else any; fresh: rather those that have been served least; ${default} by default."`
	NoLocks          bool          `name:"no-locks" help:"UPDATE, DELETE and SELECT FOR UPDATE read any version that is allowed, and wait for nobody, as in stores without locks."`
	Window           int           `placeholder:"N" help:"Remember at least so many transactions, and about twice as many at most; 32 by default. A larger window serves older versions, and takes longer."`
	Record           string        `placeholder:"FILE" help:"Record what was served as a history for txmc check, compressed if the name ends in .gz or .zst."`

	// MySQL makes a server of MySQL's, of a schema by files; nil where there is none.
	MySQL func(o Options, files []string) (Front, error) `kong:"-"`

	level  isolation.Level
	latest float64
	fresh  bool
}

// Front is a server of another protocol.
type Front interface {
	KV() *KV
	Serve(ctx context.Context, l net.Listener) error
}

// Check says what is wrong with the options.
func (o *Serving) Check() (err error) {
	if o.level, err = isolation.Parse(o.Iso); err != nil {
		return fmt.Errorf("--iso: %w", err)
	}
	if o.Connections < 1 || o.MaxMessage < 1 || o.StatementTimeout < 0 {
		return fmt.Errorf("--connections=%d --max-message=%d --statement-timeout=%v: give positive numbers", o.Connections, o.MaxMessage, o.StatementTimeout)
	}
	if o.Protocol == "mysql" && o.MySQL == nil {
		return errors.New("--protocol=mysql is served by a command of its own, as its engine is no part of txmc: go run github.com/txmc/txmc/mysql/cmd/txmc-mysql@latest, with the same flags")
	}
	if o.Protocol == "mysql" && (o.KV || o.Password != "") {
		return errors.New("--protocol=mysql has neither --kv nor --password")
	}
	if err := o.parseBias(); err != nil {
		return err
	}
	if o.KV && len(o.Schema) > 0 {
		return errors.New("--kv has no schema: leave out --schema")
	}
	options := o.options()
	return options.check()
}

func (o *Serving) options() Options {
	return Options{Level: o.level, Seed: o.Seed, Latest: o.latest, Fresh: o.fresh, NoLocks: o.NoLocks, Window: o.Window}
}

// parseBias reads --bias.
func (o *Serving) parseBias() (err error) {
	name, p, ok := strings.Cut(o.Bias, "=")
	switch {
	case name == "latest" && ok:
		if o.latest, err = strconv.ParseFloat(p, 64); err != nil {
			return fmt.Errorf("--bias=%s: %q is not a probability: give a number from 0 to 1, as in latest=0.9", o.Bias, p)
		}
	case ok || name != "" && name != "uniform" && name != "fresh":
		return fmt.Errorf("--bias=%s: give uniform, latest=P or fresh", o.Bias)
	}
	o.fresh = name == "fresh"
	return nil
}

// Run serves until soft ends: then nobody is served who comes new, and transactions that
// are open may end, until hard ends or drain has passed. The address is the first line
// of what is printed, the counts are the last ones.
func (o *Serving) Run(soft, hard context.Context, out io.Writer) (err error) {
	l, err := Listen(o.Listen, o.Password != "")
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
	fmt.Fprintf(out, "%sseed          %d\n", kv.Counts(), o.Seed)
	return errors.Join(err, end())
}

// make makes the server.
func (o *Serving) make(l net.Listener) (serve func(soft, hard context.Context) error, kv *KV, address string, err error) {
	if o.KV {
		if kv, err = NewKV(o.options()); err != nil {
			return nil, nil, "", err
		}
		handler := kv.handler(o.Connections)
		if o.Password != "" {
			handler = guarded(handler, o.Password)
		}
		return func(soft, hard context.Context) error { return serveHTTP(soft, hard, l, handler) }, kv, "http://" + l.Addr().String(), nil
	}
	if o.Protocol == "mysql" {
		return o.makeMySQL(l)
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
	if err := s.Admit(Admission{o.Password, o.Connections, o.MaxMessage, o.StatementTimeout}); err != nil {
		return nil, nil, "", err
	}
	return func(soft, hard context.Context) error { return s.serve(soft, hard, l) }, s.kv, DSN(l), nil
}

// makeMySQL makes a server of MySQL's.
func (o *Serving) makeMySQL(l net.Listener) (serve func(soft, hard context.Context) error, kv *KV, address string, err error) {
	front, err := o.MySQL(o.options(), o.Schema)
	if err != nil {
		return nil, nil, "", err
	}
	return func(soft, hard context.Context) error {
		ctx, cancel := context.WithCancel(hard)
		defer cancel()
		stop := context.AfterFunc(soft, func() {
			front.KV().drain(hard)
			cancel()
		})
		defer stop()
		return front.Serve(ctx, l)
	}, front.KV(), "root@tcp(" + l.Addr().String() + ")/app", nil
}

// drain waits until no transaction is open, for as long as that may take.
func (s *KV) drain(hard context.Context) {
	for over := time.Now().Add(drain); hard.Err() == nil && time.Now().Before(over); time.Sleep(10 * time.Millisecond) {
		s.mu.Lock()
		n := len(s.open)
		s.mu.Unlock()
		if n == 0 {
			return
		}
	}
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
patterns      %d of what transactions read from
`, c.Transactions, c.Aborted, c.Failed, c.Reads, c.Choices, c.Stale, c.Patterns)
}
