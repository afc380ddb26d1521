// Values as text without the server. These are the output functions of the types that keys and
// columns mostly have, with the server's first settings (ISO dates, UTC), whatever a session has
// set. Tests hold them against the server's.

package engine

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"
)

// outputs are the types' output functions. They say no where the value is not of the kind that they know.
var outputs = map[OID]func(v Value) (string, bool){
	TypeBool:        outBool,
	TypeBytea:       func(v Value) (string, bool) { return `\x` + hex.EncodeToString(v), true },
	TypeInt2:        outInt,
	TypeInt4:        outInt,
	TypeInt8:        outInt,
	TypeOID:         func(v Value) (string, bool) { return strconv.FormatUint(uint64(uint32(integer(v))), 10), true },
	TypeText:        outText,
	TypeJSON:        outText,
	TypeBpchar:      outText,
	TypeVarchar:     outText,
	TypeDate:        func(v Value) (string, bool) { return outTime(integer(v)*day, "2006-01-02", v) },
	TypeTimestamp:   func(v Value) (string, bool) { return outTime(integer(v), "2006-01-02 15:04:05.999999", v) },
	TypeTimestamptz: func(v Value) (string, bool) { return outTime(integer(v), "2006-01-02 15:04:05.999999+00", v) },
	TypeNumeric:     outNumeric,
	TypeUUID:        outUUID,
}

// integer is a signed number of 1, 2, 4 or 8 bytes.
func integer(v Value) int64 {
	var b [8]byte
	copy(b[:], v)
	shift := 64 - 8*min(len(v), 8)
	return int64(binary.LittleEndian.Uint64(b[:])<<shift) >> shift
}

func outBool(v Value) (string, bool) {
	if integer(v) != 0 {
		return "t", true
	}
	return "f", true
}

func outInt(v Value) (string, bool) { return strconv.FormatInt(integer(v), 10), true }

func outText(v Value) (string, bool) { return string(v), true }

func outUUID(v Value) (string, bool) {
	h := hex.EncodeToString(v)
	if len(h) != 32 {
		return "", false
	}
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:], true
}

const day = int64(24 * time.Hour / time.Microsecond)

// outTime writes a time in microseconds since the year 2000, of the common era and of four digits.
func outTime(micros int64, layout string, v Value) (string, bool) {
	const first, last = -63082281600000000, 252455615999999999 // years 1 to 9999
	outside := micros < first || micros > last
	if len(v) == 4 {
		days := integer(v)
		outside = days < first/day || days > last/day
	}
	if outside {
		return "", false
	}
	return time.Unix(946684800+floor(micros, 1e6), (micros-floor(micros, 1e6)*1e6)*1e3).UTC().Format(layout), true
}

func floor(a, b int64) int64 { return int64(math.Floor(float64(a) / float64(b))) }

// outNumeric writes a number of base 10000 (utils/adt/numeric.c, numeric_out).
func outNumeric(v Value) (string, bool) {
	const special, short, shortSign, negative, shortWeightSign = 0xc000, 0x8000, 0x2000, 0x4000, 0x40
	if len(v) < 2 {
		return "", false
	}
	head := binary.LittleEndian.Uint16(v)
	var weight, scale int
	minus := false
	switch {
	case head&special == special:
		return "", false
	case head&short != 0:
		minus, scale = head&shortSign != 0, int(head&0x1f80>>7)
		weight = int(head & 0x3f)
		if head&shortWeightSign != 0 {
			weight -= 0x40
		}
		v = v[2:]
	case len(v) < 4:
		return "", false
	default:
		minus, scale = head&negative != 0, int(head&0x3fff)
		weight = int(int16(binary.LittleEndian.Uint16(v[2:])))
		v = v[4:]
	}
	digit := func(i int) string {
		if i < 0 || 2*i+2 > len(v) {
			return "0000"
		}
		s := strconv.Itoa(int(binary.LittleEndian.Uint16(v[2*i:])))
		return strings.Repeat("0", 4-len(s)) + s
	}
	return decimal(minus, weight, scale, digit), true
}

// decimal joins digits of base 10000, the first of which has the weight.
func decimal(minus bool, weight, scale int, digit func(int) string) string {
	var b strings.Builder
	for i := 0; i <= weight; i++ {
		b.WriteString(digit(i))
	}
	whole := strings.TrimLeft(b.String(), "0")
	if whole == "" {
		whole = "0"
	}
	if minus {
		whole = "-" + whole
	}
	if scale == 0 {
		return whole
	}
	b.Reset()
	for i := weight + 1; b.Len() < scale; i++ {
		b.WriteString(digit(i))
	}
	return whole + "." + b.String()[:scale]
}
