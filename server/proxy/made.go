package proxy

import (
	"encoding/binary"
	"regexp"
	"strings"
	"time"

	"github.com/txmc/txmc/pg/wire"
)

// Values that a server makes up differ in each run, and are no part of an outcome: numbers of
// sequences, times of its clock, random identifiers. When outcomes are compared, # stands for
// such a value. A time counts as the server's when it has a fraction of a second. A time also
// counts when it is within two days of now, or of the time at which sessions begin under a
// model. Random identifiers are UUIDs.

// unmade is a text without what a server makes up.
func unmade(text string) string {
	if !digit.MatchString(text) {
		return text
	}
	text = ofSequence.ReplaceAllString(text, "#")
	text = ofChance.ReplaceAllString(text, "#")
	text = ofClock.ReplaceAllStringFunc(text, func(t string) string {
		if strings.Contains(t, ".") || near(t[:len(time.DateOnly)]) {
			return "#"
		}
		return t
	})
	return strings.ReplaceAll(text, `"#"`, "#") // a time with a blank is quoted where a date is not
}

// alike is the text of an outcome on a server, or under its model. It is without the blanks in JSON
// where the server keeps the blanks that a client has sent: the model does not.
func (d *Dialect) alike(outcome string) string {
	if d.KeepsBlanks {
		return blanks.Replace(outcome)
	}
	return outcome
}

var (
	blanks     = strings.NewReplacer(`": `, `":`, `, "`, `,"`, `, \"`, `,\"`)
	digit      = regexp.MustCompile(`\d`)
	ofSequence = regexp.MustCompile(`\b100000\d{4}\b`) // see Program.Serializable
	ofChance   = regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b`)
	ofClock    = regexp.MustCompile(`\b\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z\b|[+-]\d\d(?::?\d\d)?\b)?)?`)
)

// near reports whether a date is that of now, or of the beginning of sessions, or next to it.
func near(date string) bool {
	d, err := time.Parse(time.DateOnly, date)
	return err == nil && nearTime(d)
}

func nearTime(t time.Time) bool {
	const most = 48 * time.Hour // zones, and dates that have no time
	return time.Until(t).Abs() < most || t.Sub(began).Abs() < most
}

// began is when sessions begin under a model.
var began = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// unmadeSeen is what a client has seen without what a server makes up.
func unmadeSeen(seen string) string {
	if changed, ok := wire.Changed(seen, unmadeValue); ok {
		return changed
	}
	return unmade(seen)
}

// unmadeValue is a value of a row, as text or in PostgreSQL's binary form: a UUID of 16 bytes,
// or a time as microseconds since 2000.
func unmadeValue(value []byte) string {
	switch {
	case len(value) == 16 && value[6]>>4 >= 1 && value[6]>>4 <= 8 && value[8]>>6 == 2:
		return "#"
	case len(value) == 8:
		since := int64(binary.BigEndian.Uint64(value))
		if t := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(since/1e6) * time.Second); since > 0 && since < 1<<52 && nearTime(t) {
			return "#"
		}
	}
	return unmade(string(value))
}
