package packet

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// An answer is kept as the server has given it. Before it stand two bytes: the command
// that it answers, and the state of the transaction after it, I or T. An error does not
// tell the state, so that the proxy has asked for it.

// The first bytes of payloads.
const (
	isOK    = 0x00
	isFile  = 0xfb
	isEOF   = 0xfe
	isErr   = 0xff
	mostEOF = 9 // an EOF packet is shorter
)

// Reader says where the answer to a command ends.
type Reader struct {
	command byte
	binary  bool
	state   state
	left    int // packets of known number
	columns []column
	status  uint16
	failed  bool

	// results, when not nil, is given what a packet is.
	results results
}

type state uint8

const (
	first state = iota
	describing
	rows
	counted // left packets are to come
)

// results takes the parts of an answer.
type results interface {
	ok(affected, insert uint64)
	err(code uint16, message string)
	columns(list []column)
	row(payload []byte, binary bool)
	end()
}

// NewReader returns the reader of an answer to a command.
func NewReader(command byte) *Reader {
	return &Reader{command: command, binary: command == Execute || command == Fetch}
}

// InTransaction reports whether the answer says that a transaction is open; ok is false
// where it does not say.
func (r *Reader) InTransaction() (open, ok bool) {
	return r.status&inFlight != 0, !r.failed && r.command != Prepare && r.command != Statistics
}

// Take takes the next payload, and reports whether the answer ends with it.
func (r *Reader) Take(p []byte) (done bool, err error) {
	if len(p) == 0 {
		return false, fmt.Errorf("an empty packet in the answer to command %#x", r.command)
	}
	if p[0] == isErr && r.state != counted {
		r.failed = true
		if r.results != nil {
			r.results.err(failure(p))
		}
		return true, nil
	}
	switch r.state {
	case first:
		return r.first(p)
	case counted:
		r.left--
		return r.left == 0, nil
	case describing:
		if isEnd(p) {
			return r.described(p)
		}
		if r.command == fieldList {
			return false, nil
		}
		c, err := describe(p)
		r.columns = append(r.columns, c)
		return false, err
	}
	if isEnd(p) {
		r.status = binary.LittleEndian.Uint16(p[3:])
		if r.results != nil {
			r.results.end()
		}
		return r.next(), nil
	}
	if r.results != nil {
		r.results.row(p, r.binary)
	}
	return false, nil
}

// isEnd reports whether a payload is an EOF packet.
func isEnd(p []byte) bool { return p[0] == isEOF && len(p) < mostEOF && len(p) >= 5 }

// first takes the first payload of a result.
func (r *Reader) first(p []byte) (bool, error) {
	switch {
	case r.command == Statistics:
		return true, nil
	case r.command == Prepare && p[0] == isOK:
		return r.prepared(p)
	case r.command == fieldList:
		r.state = describing
		return isEnd(p), nil
	case r.command == Fetch:
		r.state = rows
		return r.Take(p)
	case p[0] == isOK:
		return r.ok(p)
	case isEnd(p):
		r.status = binary.LittleEndian.Uint16(p[3:])
		return true, nil
	case p[0] == isFile:
		return false, fmt.Errorf("the server asks for a file, which LOCAL is not allowed to read here")
	}
	r.state, r.columns = describing, nil
	return false, nil
}

func (r *Reader) ok(p []byte) (bool, error) {
	affected, rest := number(p[1:])
	insert, rest := number(rest)
	if len(rest) < 2 {
		return false, fmt.Errorf("an OK packet of %d bytes", len(p))
	}
	r.status = binary.LittleEndian.Uint16(rest)
	if r.results != nil {
		r.results.ok(affected, insert)
	}
	return r.next(), nil
}

// prepared counts the packets that describe parameters and columns, each kind with an EOF.
func (r *Reader) prepared(p []byte) (bool, error) {
	const least = 9
	if len(p) < least {
		return false, fmt.Errorf("an answer to the preparation of a statement of %d bytes", len(p))
	}
	for _, n := range []int{int(binary.LittleEndian.Uint16(p[5:])), int(binary.LittleEndian.Uint16(p[7:]))} {
		if n > 0 {
			r.left += n + 1
		}
	}
	r.state = counted
	return r.left == 0, nil
}

// described goes on to the rows.
func (r *Reader) described(p []byte) (bool, error) {
	r.status = binary.LittleEndian.Uint16(p[3:])
	if r.command == fieldList {
		return true, nil
	}
	r.state = rows
	if r.results != nil {
		r.results.columns(r.columns)
	}
	return r.status&cursor != 0, nil // whose rows are fetched later
}

// next goes on to the next result, and reports whether there is none.
func (r *Reader) next() bool {
	r.state = first
	return r.status&moreResults == 0
}

// failure is what an ERR packet says.
func failure(p []byte) (code uint16, message string) {
	if len(p) < 3 {
		return 0, ""
	}
	code, message = binary.LittleEndian.Uint16(p[1:]), string(p[3:])
	if strings.HasPrefix(message, "#") && len(message) >= 6 { // the SQLSTATE
		message = message[6:]
	}
	return code, message
}

// number is a length-encoded integer, and what follows it; 0 and nothing where it is none.
func number(b []byte) (n uint64, rest []byte) {
	if len(b) == 0 {
		return 0, nil
	}
	size := map[byte]int{0xfc: 2, 0xfd: 3, 0xfe: 8}[b[0]]
	if size == 0 {
		return uint64(b[0]), b[1:]
	}
	if len(b) <= size {
		return 0, nil
	}
	for i := range size {
		n |= uint64(b[1+i]) << (8 * i)
	}
	return n, b[1+size:]
}

// text is a length-encoded string, and what follows it; ok is false where it is cut off.
func text(b []byte) (s, rest []byte, ok bool) {
	n, rest := number(b)
	if rest == nil || uint64(len(rest)) < n {
		return nil, nil, false
	}
	return rest[:n], rest[n:], true
}

// Status is the state of the transaction after an answer: I or T.
func Status(answer []byte) byte {
	if len(answer) < 2 {
		return 'I'
	}
	return answer[1]
}

// Autocommit reports whether an answer of one OK packet says that the session has
// autocommit on.
func Autocommit(answer []byte) bool {
	r := NewReader(answer[0])
	_, err := r.Take(Payload(Packets(answer)))
	return err == nil && r.status&autocommit != 0
}

// Ended is an answer as it would be after the end of the transaction.
func Ended(answer []byte) []byte {
	out := slices.Clone(answer)
	out[1] = 'I'
	r := NewReader(out[0])
	b := out[2:]
	for n := Whole(b); n > 0; n = Whole(b) {
		p, at := b[header:n], r.state
		if isEnd(p) {
			p[3] &^= inFlight
		} else if at == first && p[0] == isOK {
			_, rest := number(p[1:])
			if _, rest = number(rest); len(rest) > 0 {
				rest[0] &^= inFlight
			}
		}
		if done, err := r.Take(Payload(b[:n])); done || err != nil {
			break
		}
		b = b[n:]
	}
	return out
}

// Packets are the packets of an answer.
func Packets(answer []byte) []byte { return answer[min(2, len(answer)):] }

// read reads an answer.
func read(answer []byte, to results) {
	if len(answer) < 2 {
		return
	}
	r := NewReader(answer[0])
	r.results = to
	b := answer[2:]
	for n := Whole(b); n > 0; n = Whole(b) {
		if done, err := r.Take(Payload(b[:n])); done || err != nil {
			return
		}
		b = b[n:]
	}
}
