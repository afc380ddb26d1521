package history

import (
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// Cobra's logs, a file a session, big endian: S transaction, C transaction, W
// write key hash and R writer write key hash, where a write has a number of its
// own, which identifies the value. A transaction without C did not commit as far as
// anybody knows.

// Writers with a meaning of their own.
const (
	cobraInitial = 0xbebeebee // the key's initial value
	cobraMissing = 0xdeadbeef // there was no such key
	cobraUnknown = 0xabddefee // only the hash of the value is known
)

func readCobra(s *source, to Sink) error {
	t := Txn{Session: session(s.name), File: s.name}
	open := false
	flush := func(fate Fate) error {
		open = false
		t.Fate = fate
		return to.Txn(&t)
	}
	var at int64
	for {
		kind, err := s.ReadByte()
		if err == io.EOF {
			if open {
				return flush(Unknown)
			}
			return nil
		}
		if err != nil {
			return s.failed(err)
		}
		fields, ok := map[byte]int{'S': 1, 'C': 1, 'W': 3, 'R': 4}[kind]
		if !ok {
			return s.errorByte(at, "expected S, C, W or R, got %q", kind)
		}
		var f [4]int64
		for i := range fields {
			var b [8]byte
			if _, err := io.ReadFull(s, b[:]); err != nil {
				return s.errorByte(at, "expected %d numbers of 8 bytes after %c", fields, kind)
			}
			f[i] = int64(binary.BigEndian.Uint64(b[:]))
		}
		switch kind {
		case 'S':
			if open {
				if err := flush(Unknown); err != nil {
					return err
				}
			}
			open = true
			t.ID, t.Byte, t.Ops = strconv.FormatInt(f[0], 10), at, t.Ops[:0]
		case 'C':
			if !open || t.ID != strconv.FormatInt(f[0], 10) {
				return s.errorByte(at, "transaction %d commits without having begun", f[0])
			}
			if err := flush(Committed); err != nil {
				return err
			}
		case 'W':
			t.Ops = append(t.Ops, Op{Kind: Write, Key: cobraKey(s, f[1]), Value: number(f[0])})
		case 'R':
			v := number(f[1])
			switch f[0] {
			case cobraInitial, cobraMissing:
				v = Value{Kind: Initial}
			case cobraUnknown:
				return s.errorByte(at, "a read of which only the hash of the value is known (%x): this is not supported", f[3])
			}
			t.Ops = append(t.Ops, Op{Kind: Read, Key: cobraKey(s, f[2]), Value: v})
		}
		if !open && kind != 'C' {
			return s.errorByte(at, "%c outside a transaction", kind)
		}
		at += 1 + 8*int64(fields)
	}
}

func cobraKey(s *source, key int64) string {
	return s.key(fmt.Appendf(nil, "%x", uint64(key)))
}

// session is the name of a log without its extension.
func session(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}
