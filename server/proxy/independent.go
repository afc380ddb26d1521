package proxy

import (
	"regexp"
	"strings"

	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/behaviour"
)

// Two schedules are equivalent when one becomes the other by swapping neighbours that
// commute. Two steps of different sessions count as commuting only where that is
// certain:
//
//   - Reads commute: PostgreSQL's readers take no locks that keep each other.
//   - A read commutes with a write of a transaction that stays open: the read does not see
//     what has not been committed, and does not wait for it (documentation, 13.2, 13.3).
//   - Two writes of transactions that stay open commute when they are in different tables,
//     or one of them puts no rows into its table, when neither has waited for the other
//     or failed, and when both have been seen to give the same answers with the other and
//     without.
//   - The end of a transaction that has only read commutes with all of these.
//
// No other steps commute: the end of a transaction that has written, waits, failures,
// calls of unknown functions, several statements at once. Only reads commute where
// statements have effects that they do not name (see learnCode). The same holds where a
// transaction may be SERIALIZABLE: its conflicts depend on the order of reads and
// writes.

// class is what is known of a step.
type class uint8

const (
	unknown class = iota
	read          // only reads
	write         // writes, in a transaction that stays open
	idle          // ends a transaction that has only read
)

// done is a step that has been made.
type done struct {
	session  int
	class    class
	table    string // of write
	adds     bool   // write puts rows, or versions of rows, into the table
	blocked  bool
	releases bool // a session that has waited goes on
	answer   behaviour.ValueID
}

// heard notes the answer to the step's statement; reads is true of a transaction that has
// only read.
func (d *done) heard(of *Dialect, c *Content, q *access.Sent, answer behaviour.ValueID, status byte, words string, reads bool) {
	k := of.Kind(q)
	if k != Runs && k != Commits && k != RollsBack {
		return
	}
	d.class, d.answer = unknown, answer
	failed := strings.HasPrefix(words, "!")
	switch {
	case failed:
	case k != Runs:
		if reads {
			d.class = idle
		}
	case of.surelyReads(q):
		d.class = read
	case c.Plain && (status == 'T' || status == inPart):
		if d.table, d.adds = of.Writes(q); d.table != "" && !(d.adds && c.Sequences) {
			d.class = write
		}
	}
}

// commute reports whether two steps of different sessions commute, by their classes.
// observed is true where both steps have been seen to give the same answers in both
// orders.
func (d *done) commute(o *done, observed, serializable bool) bool {
	if d.blocked || o.blocked || d.releases || o.releases {
		return false
	}
	switch a, b := min(d.class, o.class), max(d.class, o.class); {
	case a == unknown:
		return false
	case b == read:
		return true
	case serializable:
		return false
	case b == idle || a == read:
		return true
	}
	return observed && (d.table != o.table || !d.adds || !o.adds)
}

var (
	// call is a name before a parenthesis, or a name in quotes.
	call = regexp.MustCompile("([\\w.]+|[\"`])\\s*\\(")
	// harmless are the words before parentheses that have no effects.
	harmless = map[string]bool{}
	// inserted is what stands before the columns of an INSERT.
	inserted = regexp.MustCompile(`(?i)^\s*insert\s+into\s+[\w.]+\s*\(`)
	// target is the table of a statement that writes.
	target = regexp.MustCompile(`(?i)^\s*(insert\s+into|update|delete\s+from)\s+(?:only\s+)?([\w.]+)`)
	// locking is a locking clause of PostgreSQL's, or INTO.
	locking = regexp.MustCompile(`(?i)\bfor\s+(no\s+key\s+update|update|share|key\s+share)\b|\binto\b`)
)

func init() {
	for _, word := range strings.Fields("count sum min max avg coalesce nullif greatest least lower upper length abs round exists in any all some and or not " +
		"values where on using as select from case when then else over by having union array_agg string_agg row array distinct limit offset between like cast returning set conflict") {
		harmless[word] = true
	}
}

// Calls reports whether a text may call a function that is not known.
func Calls(text string) bool {
	for _, m := range call.FindAllStringSubmatch(text, -1) {
		if !harmless[strings.ToLower(m[1])] {
			return true
		}
	}
	return false
}

// Single is the one statement that is sent; "" where it is not known to be one.
// MySQL runs what is in some comments.
func Single(q *access.Sent) string {
	if len(q.Texts) != 1 || strings.Contains(q.Texts[0], "/*!") || strings.Contains(q.Texts[0], "/*M!") || strings.Contains(strings.TrimRight(q.Texts[0], "; \t\r\n"), ";") {
		return ""
	}
	return Bare(q.Texts[0])
}

// surelyReads reports whether a statement reads and does nothing else.
func (d *Dialect) surelyReads(q *access.Sent) bool {
	text := Single(q)
	return strings.HasPrefix(strings.ToLower(text), "select ") && !d.Locking.MatchString(text) && !Calls(text)
}

// passing is what passes over rows that others have locked.
var passing = regexp.MustCompile(`(?i)\b(nowait|locked)\b`)

// writes is the table that a statement of PostgreSQL's writes, and whether it puts rows into it; "" where
// it may do something else. Where there are sequences, what puts rows into a table may
// take their numbers, and these depend on the order: the caller knows.
func writes(q *access.Sent) (table string, adds bool) {
	text := Single(q)
	m := target.FindStringSubmatch(text)
	if m == nil || passing.MatchString(text) || Calls(inserted.ReplaceAllString(text, "")) {
		return "", false
	}
	return strings.ToLower(m[2]), !strings.HasPrefix(strings.ToLower(m[1]), "delete")
}

// serializable is the level, in whatever sets it.
var serializable = regexp.MustCompile(`(?i)serializable|set_config|isolation`)

// speaksOfSerializable reports whether a transaction may become SERIALIZABLE by what is
// sent. What sets another level by its name does not count.
func (d *Dialect) speaksOfSerializable(q *access.Sent) bool {
	for _, text := range append(q.Texts[:len(q.Texts):len(q.Texts)], q.Startup) {
		if serializable.MatchString(d.Weaker.ReplaceAllString(text, "")) {
			return true
		}
	}
	return false
}

// weaker is another level of PostgreSQL's, after the name of what sets it.
var weaker = regexp.MustCompile(`(?i)isolation(\s+level|\s*=|\s+to|\x00)?[\s']*(read (un)?committed|repeatable read)`)
