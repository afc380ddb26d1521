package model

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/txmc/txmc/program/access"
)

// order gives the values of a column numbers in their order.
type order struct {
	of     sql.Type
	prefix int // characters of a text that the index has; 0: all

	mu     sync.Mutex
	labels []label // ascending
}

// label is the number of a value that is no number itself.
type label struct {
	value  any
	number int
}

// room is between numbers of values of which none was met before, when the newest is the
// first or the last one.
const room = 1 << 40

// number is the number of a value.
func (o *order) number(ctx *sql.Context, v any) (int, error) {
	switch v := v.(type) {
	case nil:
		return access.Null, nil
	case int8, int16, int32, int64, int, uint8, uint16, uint32, uint64, uint, types.Timespan:
		return whole(v)
	case time.Time:
		return int(v.UnixMicro()), nil
	case string:
		return o.labelled(ctx, Unpadded(o.of, cut(v, o.prefix)))
	case []byte:
		if o.prefix > 0 && len(v) > o.prefix {
			return o.labelled(ctx, v[:o.prefix])
		}
	}
	return o.labelled(ctx, v)
}

// Unpadded is a text of a type without the spaces at its end, where they do not count.
func Unpadded(t sql.Type, s string) string {
	if c, ok := t.(sql.TypeWithCollation); ok && Pads(c.Collation()) {
		return WithoutSpaces(s)
	}
	return s
}

// Pads reports whether a collation pads texts with spaces to compare them: all do but the
// binary one and those of UCA 9 (MySQL 8.0 Reference Manual, 12.10.1).
func Pads(c sql.CollationID) bool {
	return c != sql.Collation_binary && !strings.Contains(c.Name(), "_0900_")
}

// WithoutSpaces is a text without the spaces at its end.
func WithoutSpaces(s string) string { return strings.TrimRight(s, " ") }

func cut(s string, n int) string {
	if r := []rune(s); n > 0 && len(r) > n {
		return string(r[:n])
	}
	return s
}

func whole(v any) (int, error) {
	switch v := v.(type) {
	case int8:
		return int(v), nil
	case int16:
		return int(v), nil
	case int32:
		return int(v), nil
	case int64:
		if v == access.Null {
			return 0, fmt.Errorf("the number %d in an index", v)
		}
		return int(v), nil
	case int:
		return v, nil
	case uint8:
		return int(v), nil
	case uint16:
		return int(v), nil
	case uint32:
		return int(v), nil
	case uint:
		return whole(uint64(v))
	case uint64:
		return unsigned(v)
	case types.Timespan:
		return int(v), nil
	}
	return 0, fmt.Errorf("%T is no whole number", v)
}

// gap is a number of 64 bits without a sign that has no number here: NULL has one, and there are no more.
const gap = 3 << 62

// unsigned is the number of a BIGINT UNSIGNED.
func unsigned(v uint64) (int, error) {
	switch {
	case v == gap:
		return 0, fmt.Errorf("the number %d in an index", v)
	case v > gap:
		v--
	}
	return int(v - 1<<63 + 1), nil
}

// signless is the number that has a number as unsigned has it.
func signless(n int) uint64 {
	v := uint64(n) + 1<<63 - 1
	if v >= gap {
		v++
	}
	return v
}

// labelled is the number of a value that is no number.
func (o *order) labelled(ctx *sql.Context, v any) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var failed error
	i, known := slices.BinarySearchFunc(o.labels, v, func(l label, v any) int {
		n, err := o.of.Compare(ctx, l.value, v)
		if err != nil {
			failed = err
		}
		return n
	})
	if failed != nil {
		return 0, failed
	}
	if known {
		return o.labels[i].number, nil
	}
	n, err := o.between(i)
	if err != nil {
		return 0, fmt.Errorf("%w: %v", err, v)
	}
	o.labels = slices.Insert(o.labels, i, label{v, n})
	return n, nil
}

// value is the value that has a number as its label.
func (o *order) value(number int) (any, bool) {
	if o.of == types.Uint64 && number != access.Null {
		return signless(number), true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.labels, func(l label) bool { return l.number == number })
	if o.of == nil || i < 0 || number == access.Null {
		return nil, false
	}
	return o.labels[i].value, true
}

// between is a number for a value that comes to stand at a place.
func (o *order) between(i int) (int, error) {
	switch {
	case len(o.labels) == 0:
		return 0, nil
	case i == 0:
		return o.labels[0].number - room, nil
	case i == len(o.labels):
		return o.labels[i-1].number + room, nil
	}
	low, high := o.labels[i-1].number, o.labels[i].number
	n := low + (high-low)/2
	if n == low {
		return 0, fmt.Errorf("too many values of an index between two others")
	}
	return n, nil
}
