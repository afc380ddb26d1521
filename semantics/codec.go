package semantics

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/txmc/txmc/program"
)

// codecVersion is the first byte of an encoded history.
const codecVersion = 1

// AppendCanonical appends the canonical form of h: two histories of the same
// client program have the same form exactly when they are equal, that is, have
// the same transaction logs, session order and write-read relation. Names,
// error messages and source lines are left out: the reads determine them.
// Variables and values stand as their numbers in the program's tables.
func AppendCanonical(b []byte, h *History) []byte {
	b = append(b, codecVersion)
	b = binary.AppendVarint(b, int64(h.Sessions))
	b = binary.AppendVarint(b, int64(h.Final))
	b = binary.AppendVarint(b, int64(len(h.Txns)))
	for i := range h.Txns {
		t := &h.Txns[i]
		b = binary.AppendVarint(b, int64(t.Session))
		b = binary.AppendVarint(b, int64(t.Index))
		b = append(b, byte(t.Status))
		b = binary.AppendVarint(b, int64(len(t.Events)))
		for _, e := range t.Events {
			b = append(b, byte(e.Kind))
			b = binary.AppendVarint(b, int64(e.Var))
			b = binary.AppendVarint(b, int64(e.Val))
			b = binary.AppendVarint(b, int64(e.From))
		}
	}
	return b
}

// Hash returns the 64-bit FNV-1a hash of the canonical form.
func Hash(h *History) uint64 {
	f := fnv.New64a()
	f.Write(AppendCanonical(nil, h))
	return f.Sum64()
}

// ParseCanonical is the inverse of AppendCanonical. Anything but a complete
// canonical form is an error that names the byte.
func ParseCanonical(b []byte) (*History, error) {
	d := decoder{rest: b, size: len(b)}
	if d.byte() != codecVersion {
		return nil, fmt.Errorf("byte 0: not an encoded history of version %d", codecVersion)
	}
	h := &History{Sessions: d.int(0, math.MaxInt32), Final: d.int(-1, math.MaxInt32)}
	h.Txns = make([]Txn, 0, d.count(4))
	for range cap(h.Txns) {
		t := Txn{Session: d.int(-1, h.Sessions-1), Index: d.int(0, math.MaxInt32), Status: Status(d.enum(byte(Aborted)))}
		if n := d.count(4); n > 0 {
			t.Events = make([]Event, 0, n)
		}
		for range cap(t.Events) {
			t.Events = append(t.Events, Event{
				Kind: EventKind(d.enum(byte(Write))),
				Var:  program.VarID(d.int(0, math.MaxInt32)),
				Val:  program.ValueID(d.int(0, math.MaxInt32)),
				From: d.int(Own, cap(h.Txns)-1),
			})
		}
		h.Txns = append(h.Txns, t)
		if d.err != nil {
			break
		}
	}
	switch {
	case d.err != nil:
		return nil, d.err
	case len(d.rest) > 0:
		return nil, fmt.Errorf("byte %d: %d bytes after the end of the history", d.at(), len(d.rest))
	case len(h.Txns) == 0 || h.Txns[0].Session != -1 || h.Final >= h.Sessions:
		return nil, errors.New("not a history: the initial transaction is missing, or the final session does not exist")
	}
	return h, nil
}

// decoder reads what AppendCanonical writes; the first error stays.
type decoder struct {
	rest []byte
	size int
	err  error
}

func (d *decoder) at() int { return d.size - len(d.rest) }

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("byte %d: %s", d.at(), what)
	}
	d.rest = nil
}

func (d *decoder) byte() byte {
	if len(d.rest) == 0 {
		d.fail("the history ends too early")
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b
}

func (d *decoder) enum(most byte) byte {
	b := d.byte()
	if b > most {
		d.fail("unknown status or kind of event")
		return 0
	}
	return b
}

func (d *decoder) int(least, most int) int {
	v, n := binary.Varint(d.rest)
	if n <= 0 {
		d.fail("the history ends too early")
		return 0
	}
	if v < int64(least) || v > int64(most) {
		d.fail(fmt.Sprintf("%d is not between %d and %d", v, least, most))
		return 0
	}
	d.rest = d.rest[n:]
	return int(v)
}

// count reads the number of items of at least size bytes each that follow, so
// that a hostile number cannot ask for more memory than the input has.
func (d *decoder) count(size int) int { return d.int(0, len(d.rest)/size) }
