// Connections: their startup messages, their messages' frames, and their end.

package engine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// Requests that come in the place of a startup message.
const (
	requestCancel = 80877102
	requestSSL    = 80877103
	requestGSS    = 80877104
)

// startup begins a connection. The server runs already, and gets the message for its form only. The settings in the
// message are made as the server would at its start. A second connection makes none while the first has a
// transaction open.
func (x *Instance) startup(in []byte) error {
	if len(in) < 8 || binary.BigEndian.Uint32(in) != uint32(len(in)) {
		return fmt.Errorf("%w: a startup message of %d bytes", ErrProtocol, len(in))
	}
	switch binary.BigEndian.Uint32(in[4:]) {
	case requestSSL, requestGSS:
		x.out.WriteByte('N')
		return nil
	case requestCancel:
		return nil
	}
	x.in = in
	open := false
	if err := x.guard(func() error { return x.processStartup(&open) }); err != nil {
		return err
	}
	for _, s := range startupSettings(in[8:]) {
		if open {
			break
		}
		refused, err := x.execute(fmt.Sprintf("SELECT pg_catalog.set_config(%s, %s, false)", literal(s[0]), literal(s[1])))
		if err != nil || refused != nil {
			x.out.Write(refused)
			return err
		}
	}
	return x.guard(func() error {
		if _, err := x.proc.Call("pgl_sendConnData"); err != nil {
			return err
		}
		_, err := x.proc.Call("pgl_pq_flush")
		return err
	})
}

func (x *Instance) processStartup(open *bool) error {
	port, err := x.proc.Call("pgl_getMyProcPort")
	if err != nil {
		return err
	}
	block, err := x.proc.Call("IsTransactionBlock")
	if err != nil {
		return err
	}
	*open = block&0xff != 0
	_, err = x.proc.Call("ProcessStartupPacket", port, 1, 1)
	return err
}

// startupSettings are the settings of a startup message: its parameters, and those in its parameter "options".
func startupSettings(b []byte) [][2]string {
	var out [][2]string
	words := strings.Split(string(b), "\x00")
	for i := 0; i+1 < len(words) && words[i] != ""; i += 2 {
		switch name := words[i]; {
		case name == "user" || name == "database" || name == "replication" || strings.HasPrefix(name, "_pq_."):
		case name == "options":
			out = append(out, optionSettings(words[i+1])...)
		default:
			out = append(out, [2]string{name, words[i+1]})
		}
	}
	return out
}

// optionSettings reads "-c name=value" and "--name=value", separated by blanks that no backslash stands before.
func optionSettings(s string) [][2]string {
	var out [][2]string
	const blank = "\x00"
	s = strings.ReplaceAll(s, "\\ ", blank)
	for _, word := range strings.Fields(s) {
		word = strings.TrimPrefix(strings.TrimPrefix(word, "--"), "-c")
		if name, value, ok := strings.Cut(word, "="); ok {
			out = append(out, [2]string{strings.ReplaceAll(name, "-", "_"), strings.ReplaceAll(value, blank, " ")})
		}
	}
	return out
}

// literal is a string as a literal of SQL.
func literal(s string) string {
	return "E'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(s) + "'"
}

// unhooked runs f without hooks: a statement of the engine's own is not a client's.
func (x *Instance) unhooked(f func() error) error {
	h := x.hooks
	x.hooks = nil
	defer func() { x.hooks = h }()
	return x.guard(f)
}

// execute runs a statement of the engine's own. It gives the error message that the server answers with, or nil.
func (x *Instance) execute(sql string) ([]byte, error) {
	return x.unwatched(append(binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(sql)+5)), sql+"\x00"...))
}

// unwatched runs messages of the engine's own, as execute does.
func (x *Instance) unwatched(messages []byte) ([]byte, error) {
	kept := bytes.Clone(x.out.Bytes())
	x.out.Reset()
	x.in = messages
	err := x.unhooked(x.serve)
	var refused []byte
	for b := x.out.Bytes(); len(b) >= 5; {
		n := int(binary.BigEndian.Uint32(b[1:])) + 1
		if b[0] == 'E' {
			refused = bytes.Clone(b[:n])
		}
		b = b[n:]
	}
	x.out.Reset()
	x.out.Write(kept)
	return refused, err
}

// messages serves messages up to one that ends the connection: the server goes on, and what the connection has
// open or has set is the caller's business.
func (x *Instance) messages(in []byte) error {
	in, err := x.scan(in)
	if err != nil || len(in) == 0 {
		return err
	}
	return x.exchange(in)
}

// scan checks the messages' frames, looks whether one may be a COPY FROM STDIN, and gives the messages before
// one that ends the connection.
func (x *Instance) scan(in []byte) ([]byte, error) {
	for b := in; len(b) > 0; {
		if len(b) < 5 {
			return nil, fmt.Errorf("%w: %d bytes at the end", ErrProtocol, len(b))
		}
		n := uint64(binary.BigEndian.Uint32(b[1:])) + 1
		if n < 5 || n > uint64(len(b)) {
			return nil, fmt.Errorf("%w: %q of %d bytes, %d are there", ErrProtocol, b[0], n, len(b))
		}
		if b[0] == 'X' {
			return in[:len(in)-len(b)], nil
		}
		if (b[0] == 'Q' || b[0] == 'P') && containsFold(b[5:n], "stdin") {
			x.copies = true
		}
		b = b[n:]
	}
	return in, nil
}

// containsFold reports whether b contains a word of ASCII letters, whatever their case.
func containsFold(b []byte, word string) bool {
	for i := 0; i+len(word) <= len(b); i++ {
		if b[i]|0x20 == word[0] && bytes.EqualFold(b[i:i+len(word)], []byte(word)) {
			return true
		}
	}
	return false
}
