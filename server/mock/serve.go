package mock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/txmc/txmc/explore/schema"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program/rows"
)

// Run serves until soft ends. From then on no new client is served, and transactions that are
// open may end, until hard ends or drain has passed. The first line that is printed is the
// address; the last ones are the counts.
func (o *Serving) Run(soft, hard context.Context, out io.Writer) (err error) {
	l, err := Listen(o.address(), o.Password != "")
	if err != nil {
		return err
	}
	defer l.Close()
	served, err := o.make(l)
	if err != nil {
		return err
	}
	end, err := o.record(served.from)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, served.address)
	err = served.serve(soft, hard)
	fmt.Fprintf(out, "%sseed          %d\n", served.from.counted(), o.Seed)
	return errors.Join(err, end())
}

// served is a server that has been made.
type served struct {
	serve   func(soft, hard context.Context) error
	from    source
	address string
}

// source is what is served.
type source interface {
	// Record makes it hand on each transaction that has ended.
	Record(take func(*Transaction))
	// counted is what was served, in lines for people.
	counted() string
}

// make makes the server.
func (o *Serving) make(l net.Listener) (*served, error) {
	if o.KV {
		kv, err := NewKV(o.options())
		if err != nil {
			return nil, err
		}
		handler := kv.handler(o.Connections)
		if o.Password != "" {
			handler = guarded(handler, o.Password)
		}
		serve := func(soft, hard context.Context) error { return serveHTTP(soft, hard, l, handler) }
		return &served{serve, kv, "http://" + l.Addr().String()}, nil
	}
	if o.Protocol == "mysql" {
		return o.makeMySQL(l)
	}
	scripts, err := schema.Whole(o.Schema)
	if err != nil {
		return nil, fmt.Errorf("--schema: %w", err)
	}
	say := once(os.Stderr, 1000)
	s, err := NewServer(o.options(), pg.Scripts(schema.Extended(scripts), func(f rows.Failed) bool { return leftOut(f, say) }))
	if err != nil {
		return nil, err
	}
	if err := s.Admit(o.admission()); err != nil {
		return nil, err
	}
	serve := func(soft, hard context.Context) error { return s.serve(soft, hard, l) }
	return &served{serve, s, DSN(l)}, nil
}

// unneeded matches statements of dumps that need roles or settings which are not there, and make
// nothing that clients see.
var unneeded = regexp.MustCompile(`(?is)^(?:ALTER\b.*\bOWNER\s+TO\b|GRANT\b|REVOKE\b|COMMENT\b|ALTER\s+DEFAULT\s+PRIVILEGES\b|SET\b|SECURITY\s+LABEL\b|ALTER\s+DATABASE\b|ALTER\s+ROLE\b)`)

// leftOut leaves a statement out that has failed, and says so.
func leftOut(f rows.Failed, say func(string)) bool {
	ok := unneeded.MatchString(strings.TrimSpace(rows.WithoutComment(f.Statement)))
	if ok {
		say(fmt.Sprintf("left out of the schema: %v", f.Err))
	}
	return ok
}

func (o *Serving) admission() Admission {
	return Admission{o.Password, o.Connections, o.MaxMessage, o.StatementTimeout}
}

// makeMySQL makes a server of MySQL's.
func (o *Serving) makeMySQL(l net.Listener) (*served, error) {
	front, err := o.MySQL(o.options(), o.admission(), o.Schema)
	if err != nil {
		return nil, err
	}
	serve := func(soft, hard context.Context) error { return front.Serve(soft, hard, l) }
	return &served{serve, front.KV(), "root@tcp(" + l.Addr().String() + ")/app"}, nil
}

// Drain lets open transactions end. It has idle connections closed until none is left. It
// stops when that takes too long, or when hard ends. closeIdle returns how many are left.
func Drain(hard context.Context, closeIdle func() (left int)) {
	for over := time.Now().Add(drain); hard.Err() == nil && time.Now().Before(over) && closeIdle() > 0; {
		time.Sleep(10 * time.Millisecond)
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
		Drain(limit, s.closeIdle)
		cancel()
	})
	defer stop()
	return s.accept(limit, l)
}

// closeIdle closes connections without a transaction, whose clients wait for no answer, and
// returns how many are left.
func (s *Server) closeIdle() (left int) {
	for _, s := range s.all() {
		s.mu.Lock()
		for c := range s.conns {
			if c.session.Open() || c.asked.Load() {
				left++
			} else {
				c.close()
			}
		}
		s.mu.Unlock()
	}
	return left
}

func (s *Server) counted() string { return s.store.counted() }

func (s *KV) counted() string { return s.Counts().String() }

// String is the counts in lines for people.
func (c Counts) String() string {
	return fmt.Sprintf(`transactions  %d committed, %d rolled back, of which %d could not be served
reads         %d, of which %d had a choice and %d were stale
patterns      %d of what transactions read from
`, c.Transactions, c.Aborted, c.Failed, c.Reads, c.Choices, c.Stale, c.Patterns)
}
