package engine

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Which errors are a server's. Client code may ignore an error. So an error that a server
// might not have is no answer: it ends the exploration. An error is a server's if it says
// what the statement has met in rows and values. An error that says what the engine makes of
// the statement itself is a server's only if the statement and the schema show it: a server
// may know more syntax, functions, variables and names than the engine does. Syntax errors
// (1064) are never shown.

// Unexplored is the error of a statement that a server may answer otherwise.
type Unexplored struct {
	Message string          // which statement, why, and what to do
	Err     *mysql.SQLError // what a client would be told
}

// Error returns the message.
func (u *Unexplored) Error() string { return u.Message }

// Unwrap returns what a client would be told.
func (u *Unexplored) Unwrap() error { return u.Err }

// metInRows are the codes of errors that say what a statement has met in rows, values, locks
// and its connection.
var metInRows = []int{1020, 1048, 1053, 1059, 1062, 1172, 1175, 1176, 1205, 1213, 1242, 1264, 1265, 1292, 1339, 1364, 1366, 1406, 1442, 1451, 1452, 1467, 1642, 1643, 1644, 1690, 1792, 1906, 1969, 3058, 3105, 3572}

// metInSet are the codes of those that SET has.
var metInSet = []int{1020, 1053, 1205, 1213, 1242, 1568, 1690, 1792, 1969, 3058, 3572}

func isSet(parsed sqlparser.Statement) bool {
	_, sets := parsed.(*sqlparser.Set)
	return sets
}

// digits finds the message of a whole number that is no date here: a server takes some.
var digits = regexp.MustCompile(`^Incorrect datetime value: '\d+'$`)

// partial finds the message of a date without a month or a day, which a server takes unless its SQL mode says
// otherwise.
var partial = regexp.MustCompile(`'\d+-(?:0?0-|\d+-0?0\b)`)

// serves reports whether an error is the server's. raw is the engine's error, and parsed the
// statement, or nil where it cannot be parsed.
func (c *Conn) serves(parsed sqlparser.Statement, raw error, e *mysql.SQLError) bool {
	switch {
	case sql.ErrSavepointDoesNotExist.Is(raw):
		return true
	case parsed == nil:
		return e.Num == erShutdown
	case isSet(parsed): // whose values are not columns'
		return slices.Contains(metInSet, e.Num)
	case e.Num == 1292:
		return writes(parsed) && !digits.MatchString(e.Message) && !partial.MatchString(e.Message)
	case e.Num == errLimited.Num && e.Message == errLimited.Message:
		return true
	case e.Num == 4025, e.Num == 3819, e.Num == 3140: // of a CHECK, which a column of the type JSON has; a function of JSON returns NULL
		return sql.ErrCheckConstraintViolated.Is(raw) || writes(parsed)
	case slices.Contains(metInRows, e.Num):
		return true
	}
	names := c.namesOf(parsed)
	switch e.Num {
	case 1054:
		return names.lackColumn(e.Message)
	case 1146:
		return names.lackTable(e.Message)
	case 1052:
		return names.share(e.Message)
	case 1110, 1136:
		return miscounts(parsed, names)
	}
	return false
}

// writes reports whether a statement writes values to columns; changes, whether it changes rows.
func writes(parsed sqlparser.Statement) bool {
	switch parsed.(type) {
	case *sqlparser.Insert, *sqlparser.Update:
		return true
	}
	return false
}

func changes(parsed sqlparser.Statement) bool {
	_, deletes := parsed.(*sqlparser.Delete)
	return deletes || writes(parsed)
}

// judged is an error as it is returned: the server's, or [Unexplored].
func (c *Conn) judged(text string, parsed sqlparser.Statement, raw error, e *mysql.SQLError) error {
	if c.serves(parsed, raw, e) {
		return e
	}
	return &Unexplored{unexplored(original(text), e), e}
}

// toDo is what to do about a statement that is not explored.
const toDo = "a server may answer it, so that no error is given to the code: write it in another way, or leave it out of the test; if a server refuses it as well, put it right"

// refusedHere begins the messages of package txmc's own refusals.
const refusedHere = "txmc: "

// unexplored is the message of a statement that is not explored.
func unexplored(text string, e *mysql.SQLError) string {
	if says, own := strings.CutPrefix(e.Message, refusedHere); own {
		return fmt.Sprintf("the statement %q cannot be explored: %s", shorten(text), says)
	}
	why := fmt.Sprintf("go-mysql-server, which evaluates it, says: %s", e.Message)
	if e.Num == mysql.ERParseError {
		why = "go-mysql-server, which evaluates it, does not know its syntax"
	}
	return fmt.Sprintf("the statement %q cannot be explored: %s (%d): %s", shorten(text), why, e.Num, toDo)
}

// shorten cuts a statement for a message.
func shorten(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Preparable is [Unexplored] for a statement that is prepared and cannot be parsed; else nil.
func (c *Conn) Preparable(text string) error {
	_, err := sqlparser.ParseWithOptions(c.plain(), Clean(text), c.Options())
	if err == nil || errors.Is(err, sqlparser.ErrEmpty) {
		return nil
	}
	said := syntaxError(text, err)
	if says := unread(text); says != "" {
		said = mysql.NewSQLError(1235, "42000", refusedHere+"%s", says)
	}
	return c.judged(text, nil, err, said)
}
