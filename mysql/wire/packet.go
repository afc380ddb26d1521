package wire

import (
	"bytes"
	"encoding/binary"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/txmc/txmc/mysql/engine"
)

// The server of Vitess parses prepared statements before anybody else sees them. For one
// that it does not understand, its error has no code. So the packets of prepared statements
// are looked at on the way (MySQL Internals, Protocol Basics: MySQL Packets, ERR_Packet).

const (
	header     = 4 // of a packet: three bytes of its length, and its number
	comPrepare = 0x16
)

// prepared is the statement that a packet prepares. A driver sends it in one piece.
func prepared(packet []byte) (text string, ok bool) {
	if len(packet) <= header || packet[header] != comPrepare || int(packet[0])|int(packet[1])<<8|int(packet[2])<<16 != len(packet)-header {
		return "", false
	}
	return string(packet[header+1:]), true
}

// clean makes a statement that is prepared one that the parser knows.
func clean(packet []byte) []byte {
	text, ok := prepared(packet)
	if !ok {
		return packet
	}
	text = engine.Clean(text)
	n := len(text) + 1
	return append([]byte{byte(n), byte(n >> 8), byte(n >> 16), packet[3], comPrepare}, text...)
}

// recode gives the error of a statement that cannot be parsed its code: 1064. The server
// sends a packet's contents in one piece, after its header.
func recode(packet []byte) []byte {
	const errPacket, code, state, message = 0, 1, 3, 9
	said := []byte("syntax error at position")
	if len(packet) < message || packet[errPacket] != 0xff || binary.LittleEndian.Uint16(packet[code:]) != mysql.ERUnknownError ||
		!bytes.Contains(packet[message:], said) {
		return packet
	}
	packet = bytes.Clone(packet)
	binary.LittleEndian.PutUint16(packet[code:], mysql.ERParseError)
	copy(packet[state:], "#42000")
	return packet
}
