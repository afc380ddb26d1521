package mock

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/xdg-go/scram"
)

// Admission says who is served, and how much a client may ask for.
type Admission struct {
	// Password is what clients have to know; "": nothing. They prove it by
	// SCRAM-SHA-256 (RFC 7677), whatever user they name.
	Password string
	// Connections is how many clients there may be at a time; 0: MaxConnections.
	Connections int
	// MessageBytes bounds a message of a client; 0: MaxMessageBytes.
	MessageBytes int
	// Statement is how long a statement may take, also one that waits for a lock; 0: as
	// long as it likes.
	Statement time.Duration
}

const (
	// MaxConnections is how many clients there may be by default. Those that are idle
	// share instances of PostgreSQL.
	MaxConnections = 1000
	// MaxMessageBytes bounds a message by default.
	MaxMessageBytes = 16 << 20
)

// Admit says who is served from now on. It is called before clients come.
func (s *Server) Admit(a Admission) error {
	a, err := a.Usual()
	if err != nil {
		return err
	}
	s.admission = a
	if a.Password == "" {
		return nil
	}
	s.lock, err = newLock(a.Password)
	return err
}

// Usual is the admission with the defaults in place of zeros.
func (a Admission) Usual() (Admission, error) {
	if a.Connections < 0 || a.MessageBytes < 0 || a.Statement < 0 {
		return a, fmt.Errorf("limits of %d connections, %d bytes and %v: none can be negative", a.Connections, a.MessageBytes, a.Statement)
	}
	a.Connections = cmp.Or(a.Connections, MaxConnections)
	a.MessageBytes = cmp.Or(a.MessageBytes, MaxMessageBytes)
	return a, nil
}

// newLock makes what tells clients that know the password.
func newLock(password string) (*scram.Server, error) {
	c, err := scram.SHA256.NewClient("", password, "")
	if err != nil {
		return nil, fmt.Errorf("the password: %w", err)
	}
	const iterations = 4096 // PostgreSQL's scram_iterations
	salt := make([]byte, 16)
	rand.Read(salt)
	stored, err := c.GetStoredCredentialsWithError(scram.KeyFactors{Salt: string(salt), Iters: iterations})
	if err != nil {
		return nil, err
	}
	return scram.SHA256.NewServer(func(string) (scram.StoredCredentials, error) { return stored, nil })
}

// Patience is how long a client may take to say who it is, to send the rest of a message,
// or to take an answer.
const Patience = time.Minute

// Codes of first messages (PostgreSQL's documentation, section 54.7).
const (
	cancelCode = 80877102
	sslCode    = 80877103
	gssCode    = 80877104
)

var (
	errTooLarge = errors.New("a message is too large")
	errNoClient = errors.New("not a client of PostgreSQL")
)

// greet reads a client's first messages up to its startup message, and lets it prove the
// password. Cancel is not nil when the client has only come to end a statement of another.
func (s *Server) greet(client net.Conn) (startup []byte, cancel *key, err error) {
	client.SetDeadline(time.Now().Add(Patience))
	defer client.SetDeadline(time.Time{})
	const most = 10_000 // MAX_STARTUP_PACKET_LENGTH
	for range 3 {       // encryption is asked for once, in two ways
		m, err := readMessage(client, false, most)
		switch {
		case err != nil:
			return nil, nil, err
		case len(m) < 8:
			return nil, nil, errNoClient
		}
		switch code := binary.BigEndian.Uint32(m[4:]); {
		case code == sslCode, code == gssCode:
			if _, err := client.Write([]byte{'N'}); err != nil {
				return nil, nil, err
			}
		case code == cancelCode && len(m) == 16:
			return nil, &key{binary.BigEndian.Uint32(m[8:]), binary.BigEndian.Uint32(m[12:])}, nil
		case code>>16 == 3:
			return m, nil, s.prove(client)
		default:
			return nil, nil, errNoClient
		}
	}
	return nil, nil, errNoClient
}

// readMessage reads a whole message. The first ones have no type. Once it has begun, a
// message has to come soon.
func readMessage(from net.Conn, typed bool, most int) ([]byte, error) {
	head := make([]byte, 5)
	if !typed {
		head = head[:4]
	}
	if _, err := io.ReadFull(from, head[:1]); err != nil {
		return nil, err
	}
	if typed {
		from.SetReadDeadline(time.Now().Add(Patience))
		defer from.SetReadDeadline(time.Time{})
	}
	if _, err := io.ReadFull(from, head[1:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(head[len(head)-4:])) - 4
	if n < 0 || n > most {
		return nil, errTooLarge
	}
	message := append(head, make([]byte, n)...)
	_, err := io.ReadFull(from, message[len(head):])
	return message, err
}

// prove lets the client prove that it knows the password (section 54.3.1).
func (s *Server) prove(client net.Conn) error {
	if s.lock == nil {
		return nil
	}
	const mechanism = "SCRAM-SHA-256"
	const offer, more, final = 10, 11, 12
	wrong := &Error{"28P01", "password authentication failed"}
	if err := authentication(client, offer, mechanism+"\x00\x00"); err != nil {
		return err
	}
	talk := s.lock.NewConversation()
	for step, kind := range []uint32{more, final} {
		m, err := readMessage(client, true, 10_000)
		if err != nil {
			return err
		}
		if m[0] != 'p' {
			return wrong
		}
		said := string(m[5:])
		if step == 0 {
			head := mechanism + "\x00"
			if len(said) < len(head)+4 || said[:len(head)] != head {
				return wrong
			}
			said = said[len(head)+4:]
		}
		answer, err := talk.Step(said)
		if err != nil {
			return wrong
		}
		if err := authentication(client, kind, answer); err != nil {
			return err
		}
	}
	if !talk.Valid() {
		return wrong
	}
	return nil
}

func authentication(client net.Conn, kind uint32, data string) error {
	m := binary.BigEndian.AppendUint32([]byte{'R'}, uint32(8+len(data)))
	m = binary.BigEndian.AppendUint32(m, kind)
	_, err := client.Write(append(m, data...))
	return err
}

// key names a connection to those who may end its statement.
type key struct{ process, secret uint32 }

// stop ends the statement of the connection that has the key.
func (s *Server) stop(k key) {
	for _, s := range s.all() {
		s.mu.Lock()
		for c := range s.conns {
			if c.key == k {
				c.cancelStatement(&Error{"57014", "canceling statement due to user request"})
			}
		}
		s.mu.Unlock()
	}
}

// keyed puts the connection's key in place of the instance's (BackendKeyData) in the answer to
// a startup message.
func (k key) keyed(answer []byte) {
	for b := answer; len(b) >= 5; {
		n := int(binary.BigEndian.Uint32(b[1:])) + 1
		if n < 5 || n > len(b) {
			return
		}
		if b[0] == 'K' && n == 13 {
			binary.BigEndian.PutUint32(b[5:], k.process)
			binary.BigEndian.PutUint32(b[9:], k.secret)
		}
		b = b[n:]
	}
}
