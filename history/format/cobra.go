package format

import (
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/txmc/txmc/history"
)

// Cobra's logs, a file a session, big endian: S transaction, C transaction, W write key
// hash and R writer write key hash. A write has a number of its own, and this number
// identifies the value. A transaction without C did not commit as far as anybody knows.

// Writers with a meaning of their own.
const (
	cobraInitial = 0xbebeebee // the key's initial value
	cobraMissing = 0xdeadbeef // there was no such key
	cobraUnknown = 0xabddefee // unknown; as the number of a write too: only the hash of the value is known
)

func readCobra(s *source, to history.Sink) error {
	t := history.Txn{Session: session(s.name), File: s.name}
	open := false
	flush := func(fate history.Fate) error {
		open = false
		t.Fate = fate
		return to.Txn(&t)
	}
	err := cobraLog(s, func(at int64, kind byte, f [4]int64) error {
		if !open && (kind == 'W' || kind == 'R') {
			return s.errorByte(at, "%c outside a transaction", kind)
		}
		switch kind {
		case 'S':
			if open {
				if err := flush(history.Unknown); err != nil {
					return err
				}
			}
			open = true
			t.ID, t.Byte, t.Ops = strconv.FormatInt(f[0], 10), at, t.Ops[:0]
		case 'C':
			if !open || t.ID != strconv.FormatInt(f[0], 10) {
				return s.errorByte(at, "transaction %d commits without having begun", f[0])
			}
			return flush(history.Committed)
		case 'W':
			t.Ops = append(t.Ops, history.Op{Kind: history.Write, Key: cobraKey(s, f[1]), Value: number(f[0])})
		case 'R':
			v := number(f[1])
			switch {
			case f[0] == cobraInitial, f[0] == cobraMissing:
				v = history.Value{Kind: history.Initial}
			case f[0] == cobraUnknown && f[1] == cobraUnknown:
				var err error
				if v, err = s.byHash(f[2], f[3]); err != nil {
					return s.errorByte(at, "%v", err)
				}
			}
			t.Ops = append(t.Ops, history.Op{Kind: history.Read, Key: cobraKey(s, f[2]), Value: v})
		}
		return nil
	})
	if err == nil && open {
		return flush(history.Unknown)
	}
	return err
}

// cobraLog reads the records of a log.
func cobraLog(s *source, each func(at int64, kind byte, f [4]int64) error) error {
	var at int64
	var b [32]byte
	for {
		kind, err := s.ReadByte()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return s.failed(err)
		}
		var fields int
		switch kind {
		case 'S', 'C':
			fields = 1
		case 'W':
			fields = 3
		case 'R':
			fields = 4
		default:
			return s.errorByte(at, "expected S, C, W or R, got %q", kind)
		}
		var f [4]int64
		if _, err := io.ReadFull(s, b[:8*fields]); err != nil {
			return s.errorByte(at, "expected %d numbers of 8 bytes after %c", fields, kind)
		}
		for i := range fields {
			f[i] = int64(binary.BigEndian.Uint64(b[8*i:]))
		}
		if err := each(at, kind, f); err != nil {
			return err
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
