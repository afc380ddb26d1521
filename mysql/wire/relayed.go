package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/txmc/txmc/server/proxy/packet"
)

// Remote answers what the connections of a session send.
type Remote interface {
	// Greet is what the server says first to a connection.
	Greet() ([]byte, error)
	// Start answers a driver's response to the greeting.
	Start(response []byte) ([]byte, error)
	// Exchange answers a command, in whole packets.
	Exchange(c *Relayed, packets []byte) ([]byte, error)
	// Leave ends what a connection has open.
	Leave(c *Relayed) error
}

// Relayed is a driver's connection to a real server. What is written is kept until
// somebody reads: then the server answers on the goroutine that reads.
type Relayed struct {
	remote Remote

	mu       sync.Mutex
	changed  *sync.Cond // of all that follows
	in, out  []byte
	said     stage
	serving  bool // somebody's Read waits for the server
	closed   bool
	deadline bool // Reads return at once
}

// stage is how far driver and server have greeted each other.
type stage uint8

const (
	nothing stage = iota
	greeted
	started
)

// NewRelayed opens a connection.
func NewRelayed(r Remote) *Relayed {
	c := &Relayed{remote: r}
	c.changed = sync.NewCond(&c.mu)
	return c
}

// Write takes what the driver sends. It never blocks.
func (c *Relayed) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, net.ErrClosed
	}
	c.in = append(c.in, b...)
	c.changed.Broadcast()
	return len(b), nil
}

// Read lets the server answer what has been written and returns the answer. It waits for a
// Write when there is nothing to answer.
func (c *Relayed) Read(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch {
		case len(c.out) > 0:
			n := copy(b, c.out)
			c.out = c.out[n:]
			return n, nil
		case c.closed:
			return 0, io.EOF
		case c.deadline:
			return 0, os.ErrDeadlineExceeded
		case !c.serving && (c.said == nothing || packet.Whole(c.in) > 0):
			if err := c.serve(); err != nil {
				return 0, err
			}
		default:
			c.changed.Wait()
		}
	}
}

// serve answers the first packets, with the connection unlocked.
func (c *Relayed) serve() (err error) {
	n := 0
	if c.said != nothing {
		n = packet.Whole(c.in)
	}
	message := c.in[:n:n]
	c.in = c.in[n:]
	c.serving = true
	said := c.said
	c.mu.Unlock()
	returned := false
	var out []byte
	defer func() {
		c.mu.Lock()
		c.serving = false
		c.out = append(c.out, out...)
		if !returned || err != nil { // the run has been ended: nobody is answered any more
			c.closed = true
		}
		c.changed.Broadcast()
	}()
	out, err = c.answer(said, message)
	returned = true
	return err
}

// answer answers packets.
func (c *Relayed) answer(said stage, message []byte) (out []byte, err error) {
	switch said {
	case nothing:
		out, err = c.remote.Greet()
		c.said = greeted
	case greeted:
		out, err = c.remote.Start(message)
		c.said = started
	default:
		if p := packet.Payload(message); len(p) > 0 && p[0] == packet.Quit {
			if err := c.remote.Leave(c); err != nil {
				return nil, err
			}
			return nil, io.EOF
		}
		return c.remote.Exchange(c, message)
	}
	return out, err
}

// Close ends the connection; a transaction that is open on it is rolled back.
func (c *Relayed) Close() error {
	c.mu.Lock()
	was := c.closed || c.serving
	c.closed = true
	c.changed.Broadcast()
	c.mu.Unlock()
	if was {
		return nil
	}
	return c.remote.Leave(c)
}

// SetDeadline ends Reads that wait when t is past. Other times have no effect: only what
// the client does itself takes time.
func (c *Relayed) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = !t.IsZero() && !t.After(time.Now())
	c.changed.Broadcast()
	return nil
}

// SetReadDeadline is SetDeadline.
func (c *Relayed) SetReadDeadline(t time.Time) error { return c.SetDeadline(t) }

// SetWriteDeadline does nothing: a Write never waits.
func (c *Relayed) SetWriteDeadline(time.Time) error { return nil }

// LocalAddr names no place.
func (c *Relayed) LocalAddr() net.Addr { return &net.UnixAddr{Name: "txmc", Net: "unix"} }

// RemoteAddr names no place.
func (c *Relayed) RemoteAddr() net.Addr { return &net.UnixAddr{Name: "txmc", Net: "unix"} }

// Shown is a statement with arguments in place of question marks. It is for people to read,
// not to be run.
func Shown(text string, args []packet.Argument) string {
	values := map[string]*query.BindVariable{}
	for i, a := range args {
		v := &query.BindVariable{Type: sqltypes.VarChar, Value: []byte(a.Text)}
		switch {
		case a.Null:
			v.Type = sqltypes.Null
		case a.Number:
			v.Type = sqltypes.Int64
		}
		values["v"+strconv.Itoa(i+1)] = v
	}
	return substitute(text, values)
}

// SeenOf is what a client sees of the end of a statement, as packet.SeenOf has it of a real
// server's answer.
func SeenOf(r *sqltypes.Result, err error) string {
	var s packet.Seen
	var failed *mysql.SQLError
	switch {
	case errors.As(err, &failed):
		s.Failed(failed.Num)
	case err != nil || r == nil:
	case len(r.Fields) == 0:
		s.OK(r.RowsAffected, r.InsertID)
	default:
		var names []string
		for _, f := range r.Fields {
			names = append(names, f.Name)
		}
		s.Columns(names)
		for _, row := range r.Rows {
			s.Row(cellsOf(row))
		}
	}
	return s.String()
}

// cellsOf are the values of a row; a nil is NULL.
func cellsOf(row []sqltypes.Value) []*string {
	list := make([]*string, len(row))
	for i, v := range row {
		if !v.IsNull() {
			text := v.ToString()
			if v.Type() == sqltypes.Decimal {
				text = packet.Decimal(text)
			}
			list[i] = &text
		}
	}
	return list
}
