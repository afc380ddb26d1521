package serve

import (
	"bytes"
	"io"
	"net"
	"time"

	vitess "github.com/dolthub/vitess/go/mysql"

	"github.com/txmc/txmc/server/mock"
)

// A message of MySQL's protocol is one packet, or several of which all but the last have
// the greatest length. A packet has its length in three bytes and a number in the fourth
// (MySQL's internals, "MySQL Packets").

const greatest = 1<<24 - 1

// send hands whole packets of the client on until it has left. A client has to say soon
// who it is, and has to send the rest of a packet soon.
func send(to, client net.Conn, most int) {
	client.SetReadDeadline(time.Now().Add(mock.Patience))
	size := 0
	for {
		var head [4]byte
		if _, err := io.ReadFull(client, head[:1]); err != nil {
			return
		}
		client.SetReadDeadline(time.Now().Add(mock.Patience))
		if _, err := io.ReadFull(client, head[1:]); err != nil {
			return
		}
		n := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
		if size += n; size > most {
			refuse(client, head[3]+1, vitess.ERNetPacketTooLarge, "Got a packet bigger than 'max_allowed_packet' bytes")
			return
		}
		var packet bytes.Buffer
		packet.Write(head[:])
		if _, err := io.CopyN(&packet, client, int64(n)); err != nil {
			return
		}
		if _, err := to.Write(packet.Bytes()); err != nil {
			return
		}
		if n < greatest {
			size = 0
			client.SetReadDeadline(time.Time{})
		}
	}
}

// answer gives the client answers, which it has to take soon.
func answer(client, from net.Conn) {
	b := make([]byte, 1<<13)
	for {
		n, err := from.Read(b)
		if n > 0 {
			client.SetWriteDeadline(time.Now().Add(mock.Patience))
			if _, err := client.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// refuse tells a client why it is not served (ERR_Packet, without a SQLSTATE, as before the
// handshake).
func refuse(client net.Conn, number byte, code int, message string) {
	body := append([]byte{0xff, byte(code), byte(code >> 8)}, message...)
	client.SetWriteDeadline(time.Now().Add(5 * time.Second)) // a client that does not listen holds nothing up
	_, _ = client.Write(append([]byte{byte(len(body)), byte(len(body) >> 8), 0, number}, body...))
}
