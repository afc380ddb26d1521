package mysql

import (
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The list of locks of SHOW ENGINE INNODB STATUS. It has a line for a table, and a line for
// the records of a page that are locked in one way. Below the latter it has a line for each
// record and each of its fields.

var (
	tableLock  = regexp.MustCompile("^TABLE LOCK table `\\w+`\\.`(\\w+)` trx id \\S+ lock mode (\\S+)")
	recordLock = regexp.MustCompile("^RECORD LOCKS .* index (\\S+) of table `\\w+`\\.`(\\w+)` trx id \\S+ lock[_ ]mode ([SX])(.*)$")
	recordLine = regexp.MustCompile(`^Record lock, heap no (\d+)`)
	fieldLine  = regexp.MustCompile(`^ (\d+): (?:len \d+; hex ([0-9a-f]+);|(SQL NULL);)`)
)

// errTooMany: a server lists ten locks of a transaction.
var errTooMany = errors.New("the server does not list all locks")

// listing is a list that is read.
type listing struct {
	columns map[string]int // of primary keys, by tables
	covered covered

	index, table, mode, rest string
	key                      []any
	supremum, in             bool // of the record; there is one
}

// listed reads a transaction's part of the list.
func listed(text string, columns map[string]int) (covered, error) {
	l := &listing{columns: columns, covered: covered{}}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, "SUPPRESSING FURTHER PRINTS") {
			return nil, errTooMany
		}
		if err := l.read(line); err != nil {
			return nil, err
		}
	}
	l.end()
	return l.covered, nil
}

// read reads a line.
func (l *listing) read(line string) error {
	if m := tableLock.FindStringSubmatch(line); m != nil {
		if l.covered[m[1]] += m[2]; l.covered[m[1]] == "IXIS" {
			l.covered[m[1]] = "ISIX"
		}
	} else if m := recordLock.FindStringSubmatch(line); m != nil {
		l.end()
		l.index, l.table, l.mode, l.rest = m[1], m[2], m[3], m[4]
	} else if m := recordLine.FindStringSubmatch(line); m != nil {
		l.end()
		l.key, l.in, l.supremum = []any{}, true, m[1] == "1"
	} else if m := fieldLine.FindStringSubmatch(line); m != nil && l.in {
		return l.field(m[2], m[3] != "")
	}
	return nil
}

// field reads a field of a record. This is a number, which here is never below 0, a text of few
// letters, or a field that the engine has behind the key.
func (l *listing) field(digits string, null bool) error {
	switch b, err := hex.DecodeString(digits); {
	case null:
		l.key = append(l.key, "NULL")
	case err == nil && len(b) == 4 && b[0]&0x80 != 0:
		l.key = append(l.key, int(int64(b[0])<<24|int64(b[1])<<16|int64(b[2])<<8|int64(b[3]))-1<<31)
	case err == nil && !slices.ContainsFunc(b, func(c byte) bool { return c < 'a' || c > 'z' }):
		l.key = append(l.key, string(b))
	case !l.supremum && l.index != "PRIMARY":
		return fmt.Errorf("a field that is no number: %s", digits)
	default:
		l.key = append(l.key, 0)
	}
	return nil
}

// end ends a record.
func (l *listing) end() {
	if !l.in {
		return
	}
	l.in = false
	place, record, gap := l.table+"."+l.index, l.mode, l.mode
	switch {
	case l.supremum:
		place, record = place+"(end)", "-"
	case l.index == "PRIMARY":
		place += listedKey(l.key[:l.columns[l.table]])
	default:
		place += listedKey(l.key)
	}
	switch {
	case strings.Contains(l.rest, "insert intention"):
		return
	case l.supremum:
	case strings.Contains(l.rest, "rec but not gap"):
		gap = "-"
	case strings.Contains(l.rest, "gap before rec"):
		record = "-"
	}
	l.covered[place] = stronger(l.covered[place], record+gap)
}

func listedKey(key []any) string {
	var list []string
	for _, v := range key {
		list = append(list, fmt.Sprint(v))
	}
	return "(" + strings.Join(list, ",") + ")"
}

// stronger is what two locks cover: of the record, and of the gap.
func stronger(a, b string) string {
	if a == "" {
		return b
	}
	out := []byte(a)
	for i := range out {
		if strength(b[i]) > strength(a[i]) {
			out[i] = b[i]
		}
	}
	return string(out)
}

func strength(c byte) int { return strings.IndexByte("-SX", c) }
