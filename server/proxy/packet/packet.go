// Package packet reads MySQL's packets on their way between a driver and a server: where
// they end, what statements they carry, and what answers say. It changes none of them.
// The names are those of MySQL's source code documentation, "MySQL Client/Server
// Protocol"; MariaDB documents the same in "Clientserver Protocol".
//
// Both sides speak without CLIENT_DEPRECATE_EOF, without compression and without
// encryption: see Greeting.
package packet

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The commands that are told apart.
const (
	Quit        = 0x01
	InitDB      = 0x02
	Query       = 0x03
	Statistics  = 0x09
	Ping        = 0x0e
	ChangeUser  = 0x11
	Prepare     = 0x16
	Execute     = 0x17
	SendLong    = 0x18
	CloseStmt   = 0x19
	ResetStmt   = 0x1a
	Fetch       = 0x1c
	Reset       = 0x1f
	fieldList   = 0x04
	inFlight    = 0x0001 // of the status: SERVER_STATUS_IN_TRANS
	autocommit  = 0x0002 // SERVER_STATUS_AUTOCOMMIT
	moreResults = 0x0008
	cursor      = 0x0040
	protocol41  = 1 << 9
)

// header is the length of a packet's header: three bytes of its length, and its number.
const header = 4

// longest is the length of a packet that another one continues.
const longest = 1<<24 - 1

// Whole is the length of the first packets in b that make a payload, with their headers; 0
// where they have not arrived.
func Whole(b []byte) int {
	for at := 0; len(b) >= at+header; {
		n := length(b[at:])
		if at += header + n; at > len(b) {
			return 0
		}
		if n < longest {
			return at
		}
	}
	return 0
}

func length(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// Payload is what whole packets carry; of others, what there is of it.
func Payload(b []byte) (payload []byte) {
	if len(b) >= header && header+length(b) == len(b) {
		return b[header:]
	}
	for len(b) >= header {
		n := min(header+length(b), len(b))
		payload, b = append(payload, b[header:n]...), b[n:]
	}
	return payload
}

// Read reads whole packets that make a payload.
func Read(r io.Reader) (packets []byte, err error) {
	for {
		at := len(packets)
		packets = append(packets, make([]byte, header)...)
		if _, err := io.ReadFull(r, packets[at:]); err != nil {
			return nil, err
		}
		n := length(packets[at:])
		packets = append(packets, make([]byte, n)...)
		if _, err := io.ReadFull(r, packets[at+header:]); err != nil {
			return nil, err
		}
		if n < longest {
			return packets, nil
		}
	}
}

// Make makes a packet of a payload that is not long, with its number in the exchange.
func Make(number byte, payload []byte) []byte {
	n := len(payload)
	return append([]byte{byte(n), byte(n >> 8), byte(n >> 16), number}, payload...)
}

// Silent reports whether a command has no answer.
func Silent(command byte) bool { return command == Quit || command == SendLong || command == CloseStmt }

// Last is the last command in a sequence of whole packets.
func Last(packets []byte) (command byte) {
	for n := Whole(packets); n > 0; n = Whole(packets) {
		if p := Payload(packets[:n]); len(p) > 0 {
			command = p[0]
		}
		packets = packets[n:]
	}
	return command
}

// Greetings: what server and client say to each other first.

// spoken are the capabilities that the proxy lets a driver have: CLIENT_LONG_PASSWORD,
// FOUND_ROWS, LONG_FLAG, CONNECT_WITH_DB, IGNORE_SPACE, PROTOCOL_41, INTERACTIVE,
// TRANSACTIONS, SECURE_CONNECTION, MULTI_STATEMENTS, MULTI_RESULTS, PS_MULTI_RESULTS,
// PLUGIN_AUTH, CONNECT_ATTRS.
const spoken = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<8 | 1<<9 | 1<<10 | 1<<13 | 1<<15 | 1<<16 | 1<<17 | 1<<18 | 1<<19 | 1<<20

// Behaviour are the capabilities that change what statements answer: FOUND_ROWS, LONG_FLAG, IGNORE_SPACE, INTERACTIVE, TRANSACTIONS,
// MULTI_STATEMENTS, MULTI_RESULTS, PS_MULTI_RESULTS. The others say how the response to the
// greeting is written.
const Behaviour = 1<<1 | 1<<2 | 1<<8 | 1<<10 | 1<<13 | 1<<16 | 1<<17 | 1<<18

// Greeting is the first packet of a server of a version. Its connection's number and its
// random bytes are the same each time.
func Greeting(version string) []byte {
	p := append([]byte{10}, version...)
	p = append(p, 0)
	p = binary.LittleEndian.AppendUint32(p, 1)
	p = append(p, "txmctxmc\x00"...)
	p = binary.LittleEndian.AppendUint16(p, spoken&0xffff)
	p = append(p, 45, 2, 0) // utf8mb4_general_ci; autocommit
	p = binary.LittleEndian.AppendUint16(p, spoken>>16)
	p = append(p, 21)
	p = append(p, make([]byte, 10)...)
	p = append(p, "txmctxmctxmc\x00mysql_native_password\x00"...)
	return Make(0, p)
}

// Welcome is the packet with which a server ends the greetings.
func Welcome() []byte { return Make(2, []byte{0, 0, 0, 2, 0, 0, 0}) }

// Startup are the parameters of a driver's response to the greeting: names and values,
// each with a zero byte after it, as access.Sent has them.
func Startup(response []byte) (string, error) {
	p := Payload(response)
	const least = 32
	if len(p) < least {
		return "", fmt.Errorf("a response to the greeting of %d bytes", len(p))
	}
	if binary.LittleEndian.Uint32(p)&protocol41 == 0 {
		return "", fmt.Errorf("the driver speaks the protocol of before MySQL 4.1")
	}
	return fmt.Sprintf("capabilities\x00%d\x00charset\x00%d\x00", binary.LittleEndian.Uint32(p)&Behaviour, p[8]), nil
}

// Parameter is the value of a startup parameter.
func Parameter(startup, name string) string {
	words := strings.Split(startup, "\x00")
	for i := 0; i+1 < len(words); i += 2 {
		if words[i] == name {
			return words[i+1]
		}
	}
	return ""
}

// Number is the value of a startup parameter that is a number, or 0.
func Number(startup, name string) uint32 {
	n, err := strconv.ParseUint(Parameter(startup, name), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}

// Version and ID are what a server's greeting says: its version, and the number of the
// connection.
func Version(greeting []byte) (version string, id uint32, err error) {
	p := Payload(greeting)
	if len(p) > 0 && p[0] == isErr {
		code, message := failure(p)
		return "", 0, fmt.Errorf("%s (%d)", message, code)
	}
	version, rest, ok := strings.Cut(string(p[min(1, len(p)):]), "\x00")
	if !ok || len(rest) < 4 {
		return "", 0, fmt.Errorf("a greeting of %d bytes that is none of MySQL's", len(p))
	}
	return version, binary.LittleEndian.Uint32([]byte(rest)), nil
}
