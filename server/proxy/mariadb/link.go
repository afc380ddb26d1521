package mariadb

import (
	"bufio"
	"context"
	sqldriver "database/sql/driver"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/server/proxy"
	"github.com/txmc/txmc/server/proxy/packet"
)

// link is a connection to the server. The driver opens it: so it authenticates as the
// user's DSN says. Then packets go over it as they are.
type link struct {
	conn   net.Conn
	driver sqldriver.Conn // which has opened it
	in     *bufio.Reader
	id     uint32
	hello  []byte
	status byte // of the transaction: I or T
}

// longWait is the time that a statement may wait for a row's lock, in seconds: the proxy
// decides when others go on.
const longWait = 1 << 20

// Connect opens a connection with the capabilities and the character set of a driver's
// parameters, at the level that they name.
func (d *Database) Connect(ctx context.Context, startup string) (proxy.Link, error) {
	return d.connect(ctx, startup)
}

func (d *Database) connect(ctx context.Context, startup string) (*link, error) {
	s := &shaking{startup: startup}
	config := d.config.Clone()
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dial == nil {
			dial = (&net.Dialer{}).DialContext
		}
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		s.Conn = c
		return s, nil
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	c, err := connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	l := &link{conn: s.Conn, driver: c, in: bufio.NewReader(s.Conn), id: s.id, status: 'I', hello: packet.Welcome()}
	if startup == "" {
		l.hello = packet.Greeting(s.version)
	}
	if err := l.begin(packet.Parameter(startup, "level")); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// begin sets what the proxy's connections have.
func (l *link) begin(level string) error {
	for _, text := range append(levels[level], fmt.Sprintf("SET SESSION innodb_lock_wait_timeout = %d", longWait)) {
		if err := l.Run(text); err != nil {
			return err
		}
	}
	return nil
}

// shaking is a connection while the driver shakes hands with the server. It leaves out
// what the proxy does not speak, and asks for what the session's driver wants.
type shaking struct {
	net.Conn
	startup string
	version string
	id      uint32
	unread  []byte // of the greeting
	greeted bool
	written bool
}

// unspoken are the capabilities that the proxy does not speak: CLIENT_COMPRESS, SSL,
// SESSION_TRACK, DEPRECATE_EOF, LOCAL_FILES.
const unspoken = 1<<5 | 1<<7 | 1<<11 | 1<<23 | 1<<24

// Read reads the greeting as a whole, at first.
func (s *shaking) Read(b []byte) (int, error) {
	if !s.greeted {
		s.greeted = true
		greeting, err := packet.Read(s.Conn)
		if err != nil {
			return 0, err
		}
		if s.version, s.id, err = packet.Version(greeting); err == nil {
			limit(greeting, len(s.version))
		}
		s.unread = greeting // which the driver understands, also an error
	}
	if len(s.unread) > 0 {
		n := copy(b, s.unread)
		s.unread = s.unread[n:]
		return n, nil
	}
	return s.Conn.Read(b)
}

// limit takes capabilities out of a greeting. It makes a server of MariaDB one of MySQL, by
// CLIENT_MYSQL, so that no extension of MariaDB's is spoken.
func limit(greeting []byte, version int) {
	const header, before, between = 4, 1 + 1 + 4 + 8 + 1, 2 + 1 + 2
	low := header + before + version
	high := low + between
	if high+2 > len(greeting) {
		return
	}
	and := func(at int, mask uint16) {
		binary.LittleEndian.PutUint16(greeting[at:], binary.LittleEndian.Uint16(greeting[at:])&^mask)
	}
	and(low, unspoken&0xffff)
	and(high, unspoken>>16&0xffff)
	greeting[low] |= 1
}

// Write puts what the session asks for into the response to the greeting.
func (s *shaking) Write(b []byte) (int, error) {
	const header, charset = 4, 12
	if !s.written && s.startup != "" && len(b) > header+charset {
		b = append([]byte{}, b...)
		wanted := packet.Number(s.startup, "capabilities")
		own := binary.LittleEndian.Uint32(b[header:])
		binary.LittleEndian.PutUint32(b[header:], own&^packet.Behaviour|wanted&packet.Behaviour)
		b[charset] = byte(packet.Number(s.startup, "charset"))
	}
	s.written = true
	return s.Conn.Write(b)
}

// Exchange sends packets and returns the answer to the last of them.
func (l *link) Exchange(q *access.Sent) ([]byte, error) {
	if _, err := io.WriteString(l.conn, q.Messages); err != nil {
		return nil, err
	}
	command := packet.Last([]byte(q.Messages))
	packets, r, err := l.answer(command)
	if err != nil {
		return nil, err
	}
	open, said := r.InTransaction()
	if !said && command != packet.Prepare {
		if open, err = l.asks(); err != nil {
			return nil, err
		}
		said = true
	}
	if said {
		l.status = map[bool]byte{false: 'I', true: 'T'}[open]
	}
	return append([]byte{command, l.status}, packets...), nil
}

// answer reads the answer to a command.
func (l *link) answer(command byte) (all []byte, r *packet.Reader, err error) {
	r = packet.NewReader(command)
	if packet.Silent(command) {
		return nil, r, nil
	}
	for {
		packets, err := packet.Read(l.in)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, packets...)
		if done, err := r.Take(packet.Payload(packets)); done || err != nil {
			return all, r, err
		}
	}
}

// asks reports whether a transaction is open: an error does not tell.
func (l *link) asks() (bool, error) {
	if _, err := l.conn.Write(packet.Make(0, []byte{packet.Ping})); err != nil {
		return false, err
	}
	_, r, err := l.answer(packet.Ping)
	if err != nil {
		return false, err
	}
	open, _ := r.InTransaction()
	return open, nil
}

// Run runs a statement of the proxy's own.
func (l *link) Run(sql string) error {
	out, err := l.Exchange(&access.Sent{Messages: string(packet.Make(0, append([]byte{packet.Query}, sql...)))})
	if err != nil {
		return err
	}
	if words := packet.Words(out); len(words) > 0 && words[0] == '!' {
		return fmt.Errorf("%s: %s", sql, words[1:])
	}
	return nil
}

// Status is the state of the transaction.
func (l *link) Status() byte { return l.status }

// ID is the number of the connection.
func (l *link) ID() string { return strconv.FormatUint(uint64(l.id), 10) }

// Greeting is the answer to the start of the connection.
func (l *link) Greeting() []byte { return l.hello }

// Interrupt makes what runs fail.
func (l *link) Interrupt() { l.conn.SetDeadline(time.Now()) }

// Close ends the connection.
func (l *link) Close() {
	l.conn.Close()
	l.driver.Close() // ends what the driver has begun, and finds the connection closed
}
