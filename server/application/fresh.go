package application

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// An application asks its own clock and makes random identifiers: what it sends differs from run to run. Such values
// are names for what they stand for. Two texts are alike when they differ in such values only.

// volatile finds values that may be others in each run.
var volatile = regexp.MustCompile(strings.Join([]string{
	uuid,
	`(?:\$(?:2[abxy]|argon2(?:id|i|d))|\b(?:pbkdf2_\w+|bcrypt_sha256|argon2|scrypt))\$[^\s'"}]{20,}`, // a password's hash, with its salt
	`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|[+-]\d\d(?::?\d\d)?))?`,             // a time
	`\d{9,}(?:\.\d+)?\b`, // a number of seconds and the like
	`\b0\.\d{6,}`,        // a fraction
	`[A-Za-z0-9_-]{16,}`, // bytes, or a token
}, "|"))

// plain is a long word, which is no token.
var plain = regexp.MustCompile(`^[a-z_-]+$|^[A-Z_-]+$`)

// replaced is a text with what f returns in the place of volatile values.
func replaced(text string, f func(string) string) string {
	return volatile.ReplaceAllStringFunc(text, func(v string) string {
		if plain.MatchString(v) {
			return v
		}
		return f(v)
	})
}

const uuid = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

// literal finds what of a statement is a value: texts and numbers. Names are none.
var literal = regexp.MustCompile(`'(?:[^']|'')*'|\b\d[\d.]*\b|"(?:[^"]|"")*"|[A-Za-z_]\w*`)

// inValues calls f for the volatile values of a text, and gives the text with what f returns in their place. Of SQL
// only literals have values.
func inValues(text string, sql bool, f func(string) string) string {
	if !sql {
		return replaced(text, f)
	}
	return literal.ReplaceAllStringFunc(text, func(l string) string {
		if l[0] != '\'' && (l[0] < '0' || l[0] > '9') {
			return l
		}
		return replaced(l, f)
	})
}

// skeleton is a text without its volatile values.
func skeleton(text string, sql bool) (rest string, values []string) {
	rest = inValues(text, sql, func(v string) string {
		values = append(values, v)
		return "\x01"
	})
	return rest, values
}

// binaryUUID is the text of a UUID in its binary form; "" of anything else.
func binaryUUID(v []byte) string {
	if len(v) != 16 || utf8.Valid(v) {
		return ""
	}
	h := hex.EncodeToString(v)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func bytesOf(uuid string) []byte {
	b, _ := hex.DecodeString(strings.ReplaceAll(uuid, "-", ""))
	return b
}

// clock is what a time is told by.
type clock struct {
	now    time.Time // the application's
	begins time.Time // that of the database's
}

// slack is how long a value may be on its way: times are multiples of it after the beginning of the database's clock.
const slack = 5 * time.Second

// distance is that of a time to the present in which it was made, which is a little while ago.
func distance(d time.Duration) time.Duration {
	n := d / slack
	if d > n*slack {
		n++
	}
	return n * slack
}

// derived is a value of the same kind that depends on where it is sent, and is the same in all processes. A time has the
// distance to the present that it had, on the database's clock; number tells several apart.
func derived(v, where string, number int, at clock) string {
	sum := sha256.Sum256([]byte(where))
	switch {
	case wholly(uuid, v):
		sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
		return binaryUUID(append([]byte{0xff}, sum[1:16]...)) // the first byte makes it no text
	case strings.Contains(v, ":"):
		return derivedTime(v, number, at)
	case strings.HasPrefix(v, "0."):
		return "0." + digits(sum[:], len(v)-2)
	case wholly(`\d+(\.\d+)?`, v):
		return derivedNumber(v, sum[:], number, at)
	case wholly(`[0-9a-f]+`, v):
		return letters("0123456789abcdef", v, sum[:])
	}
	return letters("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", v, sum[:])
}

func wholly(pattern, s string) bool {
	m, _ := regexp.MatchString(`^(?:`+pattern+`)$`, s)
	return m
}

// letters are as many of an alphabet as a value has.
func letters(alphabet, v string, sum []byte) string {
	n, base, out := new(big.Int).SetBytes(sum), big.NewInt(int64(len(alphabet))), make([]byte, len(v))
	for i := range out {
		if n.Sign() == 0 {
			n.SetBytes(sum).Add(n, big.NewInt(int64(i)))
		}
		rest := new(big.Int)
		n.DivMod(n, base, rest)
		out[i] = alphabet[rest.Int64()]
	}
	return string(out)
}

// digits are so many, and the first is no zero.
func digits(sum []byte, n int) string {
	s := letters("0123456789", strings.Repeat("x", n), sum)
	return strings.Replace(s[:1], "0", "1", 1) + s[1:]
}

// derivedNumber is a count of seconds, or of parts of them, where the number is one near the present; else some number.
func derivedNumber(v string, sum []byte, number int, c clock) string {
	whole, fraction, has := strings.Cut(v, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	for unit := time.Second; err == nil && unit > 0; unit /= 1000 {
		if n > int64(1<<62)/int64(unit) {
			continue
		}
		d := time.Unix(0, n*int64(unit)).Sub(c.now)
		if d.Abs() < 10*365*24*time.Hour {
			at := c.begins.Add(distance(d)).Add(time.Duration(number) * time.Millisecond)
			whole = fmt.Sprint(at.UnixNano() / int64(unit))
			break
		}
		if unit == time.Nanosecond {
			whole = digits(sum, len(whole))
			break
		}
	}
	if has {
		return whole + "." + digits(sum, len(fraction))
	}
	return whole
}

// parts of a time: the day, what stands before the hour, minutes, seconds, fractions and the zone.
var parts = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d)(:\d\d)?([.,]\d+)?(.*)$`)

// reading is a time in an application's words.
type reading struct {
	parts  []string
	layout string
	time   time.Time // as if it were in UTC
	now    time.Time // the present, likewise
}

// read reads a time. One without a zone is of the zone of this machine, or of UTC.
func read(v string, now time.Time) (r reading, ok bool) {
	f := parts.FindStringSubmatch(v)
	if f == nil {
		return r, false
	}
	r = reading{parts: f, layout: "2006-01-02 15:04", now: now.UTC()}
	text := f[1] + " " + f[3]
	if f[4] != "" {
		r.layout, text = r.layout+":05", text+f[4]
	}
	var err error
	if r.time, err = time.Parse(r.layout, text+strings.Replace(f[5], ",", ".", 1)); err != nil { // it reads fractions too
		return r, false
	}
	_, offset := now.Zone()
	local := r.now.Add(time.Duration(offset) * time.Second)
	if zone := strings.TrimSpace(f[6]); zone != "" {
		for _, layout := range []string{"Z07:00", "Z0700", "Z07"} {
			if at, err := time.Parse(layout, zone); err == nil {
				_, offset := at.Zone()
				r.now = r.now.Add(time.Duration(offset) * time.Second)
				break
			}
		}
	} else if r.time.Sub(local).Abs() < r.time.Sub(r.now).Abs() {
		r.now = local
	}
	return r, true
}

// present reports whether a value is a time of this minute: an application has read its clock.
func present(v string, now time.Time) bool {
	r, ok := read(v, now)
	return ok && r.parts[4] != "" && r.time.Sub(r.now).Abs() < time.Minute
}

// derivedTime is a time in the same form.
func derivedTime(v string, number int, c clock) string {
	r, ok := read(v, c.now)
	if !ok {
		return v
	}
	f := r.parts
	at := c.begins.UTC().Add(r.now.Sub(c.now.UTC())).Add(distance(r.time.Sub(r.now)))
	out := at.Format("2006-01-02") + f[2] + at.Format(strings.TrimPrefix(r.layout, "2006-01-02 "))
	if f[5] != "" {
		fraction := fmt.Sprintf("%0*d", len(f[5])-1, number)
		out += f[5][:1] + fraction[:len(f[5])-1]
	}
	return out + f[6]
}
