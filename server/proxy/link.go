package proxy

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/access"
)

// link is a connection to the server.
type link struct {
	conn     net.Conn
	in       *bufio.Reader
	pid      uint32
	greeting []byte
	status   byte // of the transaction: I none, T open, E failed, or inPart
}

// inPart is the status between the statements of a batch, before its end is reported.
const inPart = 'P'

// ownSettings are those of connections where the user may set them: a wait that cannot
// end is found at once.
const deadlockSetting = "deadlock_timeout"

// Connect opens a connection that begins with a driver's parameters.
func (s *Postgres) Connect(ctx context.Context, startup string) (Link, error) {
	config := s.config.Copy()
	called := ""
	for words := strings.Split(startup, "\x00"); len(words) > 1; words = words[2:] {
		switch name, value := words[0], words[1]; name {
		case "user", "database": // the proxy's own
		case "application_name":
			called = value
		default:
			config.RuntimeParams[name] = value
		}
	}
	config.RuntimeParams["application_name"] = strings.TrimSpace(Application + " " + called)
	if s.quick {
		config.RuntimeParams[deadlockSetting] = fmt.Sprint(deadlockTimeout)
	}
	c, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	h, err := c.Hijack()
	if err != nil {
		return nil, err
	}
	return &link{conn: h.Conn, in: bufio.NewReader(h.Conn), pid: h.PID, greeting: greeting(h.ParameterStatuses), status: 'I'}, nil
}

// greeting is the answer to the start of a connection. Numbers that differ from one
// connection to the next are the same in all.
func greeting(statuses map[string]string) []byte {
	out, _ := (&pgproto3.AuthenticationOk{}).Encode(nil)
	for _, name := range slices.Sorted(maps.Keys(statuses)) {
		out, _ = (&pgproto3.ParameterStatus{Name: name, Value: statuses[name]}).Encode(out)
	}
	out = append(out, 'K', 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 1) // process and key: nothing is cancelled by them
	out, _ = (&pgproto3.ReadyForQuery{TxStatus: 'I'}).Encode(out)
	return out
}

// Exchange sends messages and returns the answer.
func (l *link) Exchange(q *access.Sent) (out []byte, err error) {
	if _, err := io.WriteString(l.conn, q.Messages); err != nil {
		return nil, err
	}
	if q.Waits > 0 {
		l.status = inPart
	}
	for waits := q.Waits; ; {
		kind, message, err := l.next()
		if words := wire.Words(out); err != nil && strings.HasPrefix(words, "!") { // its last words
			return nil, fmt.Errorf("%s: %w", words[1:], err)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, message...)
		switch kind {
		case 'Z': // ReadyForQuery
			l.status = message[5]
			return out, nil
		case 'G': // CopyInResponse: the client has the word
			return out, nil
		case 'E':
			if q.Waits > 0 { // nothing else before the client's Sync
				l.status = 'E'
				return out, nil
			}
		case '1', '2', '3', 't', 'T', 'n', 'C', 's', 'I': // each answers a message
			if waits--; waits == 0 {
				return out, nil
			}
		}
	}
}

// next reads a message: a byte for its type, its length, its content.
func (l *link) next() (kind byte, message []byte, err error) {
	head, err := l.in.Peek(5)
	if err != nil {
		return 0, nil, err
	}
	const most = 1 << 30
	n := int(binary.BigEndian.Uint32(head[1:])) + 1
	if n < 5 || n > most {
		return 0, nil, fmt.Errorf("the server sends a message of %d bytes", n)
	}
	message = make([]byte, n)
	if _, err := io.ReadFull(l.in, message); err != nil {
		return 0, nil, err
	}
	return message[0], repeatable(message), nil
}

// repeatable leaves out of a message what differs from one execution to the next: the
// processes and transactions in the details of a deadlock, and who has notified.
func repeatable(message []byte) []byte {
	switch message[0] {
	case 'E', 'N':
		var e pgproto3.ErrorResponse
		if e.Decode(message[5:]) != nil || e.Code != "40P01" && e.Code != "40001" && e.Code != "55P03" {
			return message
		}
		e.Detail, e.Where = "", ""
		out, err := e.Encode(nil)
		if err != nil {
			return message
		}
		out[0] = message[0]
		return out
	case 'A': // NotificationResponse
		copy(message[5:9], []byte{0, 0, 0, 0})
	}
	return message
}

// Status is the state of the transaction.
func (l *link) Status() byte { return l.status }

// ID is the number of the server's process.
func (l *link) ID() string { return strconv.FormatUint(uint64(l.pid), 10) }

// Greeting is the answer to the start of the connection.
func (l *link) Greeting() []byte { return l.greeting }

// Interrupt makes what runs fail.
func (l *link) Interrupt() { l.conn.SetDeadline(time.Now()) }

// Close ends the connection.
func (l *link) Close() { l.conn.Close() }

// Run runs statements of the proxy's own.
func (l *link) Run(sql string) error {
	m, err := (&pgproto3.Query{String: sql}).Encode(nil)
	if err != nil {
		return err
	}
	_, err = l.Exchange(&access.Sent{Messages: string(m)})
	return err
}
