package format

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/txmc/txmc/history"
)

// dbcop's history.bincode, little endian: an id, the numbers of nodes, variables,
// transactions and events, three strings, and sessions of transactions of events.
// What did not succeed had no effect. The value 0 is the initial one.

// bincode reads fields one after another.
type bincode struct {
	s   *source
	at  int64
	buf [8]byte
	err error
}

func (b *bincode) next(n int) []byte {
	if b.err != nil {
		return b.buf[:n]
	}
	if _, err := io.ReadFull(b.s, b.buf[:n]); err != nil {
		b.fail(err, "expected %d more bytes", n)
	}
	b.at += int64(n)
	return b.buf[:n]
}

func (b *bincode) fail(err error, format string, args ...any) {
	if b.err != nil {
		return
	}
	if b.err = b.s.errorByte(b.at, format, args...); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		b.err = b.s.failed(err)
	}
}

func (b *bincode) u64() uint64 { return binary.LittleEndian.Uint64(b.next(8)) }

func (b *bincode) bool(what string) bool {
	at := b.at
	v := b.next(1)[0]
	if v > 1 && b.err == nil {
		b.err = b.s.errorByte(at, "expected 0 or 1 for %s, got %d", what, v)
	}
	return v == 1
}

// skip passes over a string.
func (b *bincode) skip() {
	n := b.u64()
	if b.err == nil && n > 1<<20 {
		b.fail(nil, "expected the length of a short text, got %d", n)
	}
	if b.err != nil {
		return
	}
	if _, err := b.s.Discard(int(n)); err != nil {
		b.fail(err, "expected a text of %d bytes", n)
	}
	b.at += int64(n)
}

// looksBincode looks for five plausible numbers and a text.
func looksBincode(head []byte) bool {
	if len(head) < 5*8+3*8 {
		return false
	}
	for i := range 6 {
		if binary.LittleEndian.Uint64(head[8*i:]) > 1<<40 {
			return false
		}
	}
	return binary.LittleEndian.Uint64(head[40:]) <= 1<<20
}

func readBincode(s *source, to history.Sink) error {
	b := &bincode{s: s}
	for range 5 {
		b.u64()
	}
	for range 3 {
		b.skip()
	}
	t := history.Txn{File: s.name}
	names := map[uint64]string{}
	txns := 0
	for session, sessions := uint64(0), b.u64(); b.err == nil && session < sessions; session++ {
		t.Session = strconv.FormatUint(session+1, 10)
		for k, n := uint64(0), b.u64(); b.err == nil && k < n; k++ {
			txns++
			t.ID, t.Byte, t.Ops = strconv.Itoa(txns), b.at, t.Ops[:0]
			for i, events := uint64(0), b.u64(); b.err == nil && i < events; i++ {
				b.event(&t, names)
			}
			t.Fate = history.Aborted
			if b.bool("the success of a transaction") {
				t.Fate = history.Committed
			}
			if b.err == nil {
				b.err = to.Txn(&t)
			}
		}
	}
	if b.err == nil {
		if _, err := s.ReadByte(); err != io.EOF {
			b.fail(nil, "expected the end of the file")
		}
	}
	return b.err
}

// event adds an event to t if it succeeded.
func (b *bincode) event(t *history.Txn, names map[uint64]string) {
	if f, err := b.s.Peek(18); b.err == nil && err == nil && f[0] <= 1 && f[17] == 1 { // all at once where nothing is wrong
		variable, value := binary.LittleEndian.Uint64(f[1:]), binary.LittleEndian.Uint64(f[9:])
		if value <= math.MaxInt64 {
			t.Ops = append(t.Ops, history.Op{Kind: history.Kind(f[0]), Key: b.key(variable, names), Value: numberOr(int64(value), 0)})
			b.s.Discard(len(f))
			b.at += int64(len(f))
			return
		}
	}
	o := history.Op{Kind: history.Read}
	if b.bool("whether an event is a write") {
		o.Kind = history.Write
	}
	variable, value := b.u64(), b.u64()
	done := b.bool("the success of an event")
	if b.err != nil || !done {
		return
	}
	if value > math.MaxInt64 {
		b.fail(nil, "the value %d is too large", value)
		return
	}
	o.Key, o.Value = b.key(variable, names), numberOr(int64(value), 0)
	t.Ops = append(t.Ops, o)
}

func (b *bincode) key(variable uint64, names map[uint64]string) string {
	key, ok := names[variable]
	if !ok {
		key = strconv.FormatUint(variable, 10)
		names[variable] = key
	}
	return key
}

// bincodeWriter gathers the history, as its lengths come first.
type bincodeWriter struct {
	w        io.Writer
	sessions map[string]int
	keys     map[string]int
	byNumber [][]byte // by session: its transactions
	counts   []uint64
	events   uint64
}

func newBincode(w io.Writer) writer {
	return &bincodeWriter{w: w, sessions: map[string]int{}, keys: map[string]int{}}
}

func (p *bincodeWriter) txn(t *history.Txn) error {
	s := numbered(p.sessions, t.Session)
	if s == len(p.byNumber) {
		p.byNumber, p.counts = append(p.byNumber, nil), append(p.counts, 0)
	}
	if t.Fate == history.Unknown {
		return inexpressible(t, "a transaction of unknown fate")
	}
	b := binary.LittleEndian.AppendUint64(p.byNumber[s], uint64(len(t.Ops)))
	for _, o := range t.Ops {
		if o.Kind != history.Read && o.Kind != history.Write {
			return inexpressible(t, "lists and predicates")
		}
		v, err := zeroed(t, o.Value)
		if err != nil {
			return err
		}
		if v < 0 {
			return inexpressible(t, "negative values")
		}
		key, err := strconv.ParseUint(o.Key, 10, 64)
		if err != nil {
			key = uint64(numbered(p.keys, o.Key))
		}
		b = append(b, byte(o.Kind))
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, key), uint64(v))
		b = append(b, 1)
		p.events++
	}
	done := byte(1)
	if t.Fate == history.Aborted {
		done = 0
	}
	p.byNumber[s] = append(b, done)
	p.counts[s]++
	return nil
}

func (p *bincodeWriter) close() error {
	w := bufio.NewWriter(p.w)
	var txns uint64
	for _, n := range p.counts {
		txns += n
	}
	for _, n := range []uint64{0, uint64(len(p.counts)), uint64(len(p.keys)), txns, p.events, 0, 0, 0, uint64(len(p.counts))} {
		w.Write(binary.LittleEndian.AppendUint64(nil, n))
	}
	for s, b := range p.byNumber {
		w.Write(binary.LittleEndian.AppendUint64(nil, p.counts[s]))
		w.Write(b)
	}
	return w.Flush()
}
