package wire

import (
	"errors"
	"io"
	"strconv"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/txmc/txmc/program/served"
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
	*served.Conn
	remote Remote
	said   stage
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
	c.Conn = served.New(answering{c})
	return c
}

// answering is a Relayed as what answers it.
type answering struct{ c *Relayed }

// Whole is the length of the packets that have arrived. The server speaks first.
func (a answering) Whole(b []byte) (int, bool) {
	if a.c.said == nothing {
		return 0, true
	}
	n := packet.Whole(b)
	return n, n > 0
}

// Leave rolls back a transaction that is open on the connection.
func (a answering) Leave() error { return a.c.remote.Leave(a.c) }

// Cancel does nothing: a statement of a real server ends by itself.
func (answering) Cancel() {}

// Answer answers packets.
func (a answering) Answer(message []byte) (out []byte, err error) {
	c := a.c
	switch c.said {
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
