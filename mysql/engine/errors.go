package engine

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	goerrors "gopkg.in/src-d/go-errors.v1"

	"github.com/txmc/txmc/mysql/model"
	"github.com/txmc/txmc/mysql/storage"
	"github.com/txmc/txmc/program"
)

// failed undoes what a statement that fails has done, and returns its error as the
// server's. Where no transaction is open, the statement was one.
func (c *Conn) failed(s *sql.Context, err error) *mysql.SQLError {
	if t := c.session.GetTransaction(); t != nil && !c.session.GetIgnoreAutoCommit() && c.Autocommit() {
		c.session.SetTransaction(nil)
		if undo := c.session.Rollback(s, t); undo != nil {
			err = errors.Join(err, undo)
		}
	}
	return c.serverError(err)
}

// kinds are errors for which the engine has no code of MySQL's, or another one.
var kinds = []struct {
	kind  *goerrors.Kind
	text  string // in its place where the error has lost its kind
	code  int
	state string
}{
	{sql.ErrCheckConstraintViolated, "", 4025, "23000"},          // MariaDB's; MySQL has 3819
	{sql.ErrInvalidJSONText, "Invalid JSON text", 4025, "23000"}, // a CHECK in MariaDB; MySQL has 3140
	{types.ErrDataTruncatedForColumnAtRow, "Data truncated for column", 1265, "01000"},
	{types.ErrConvertingToEnum, "is not valid for this Enum", 1265, "01000"},
	{sql.ErrInvalidSetValue, "was not found in the set", 1265, "01000"},
	{types.ErrLengthBeyondLimit, "too large for column", 1406, "22001"},
	{sql.ErrValueOutOfRange, "out of range for", 1264, "22003"},
	{types.ErrConvertToDecimalLimit, "Out of range value for column of Decimal type", 1264, "22003"},
	{types.ErrConvertingToYear, "is not a valid Year", 1264, "22003"},
	{sql.ErrGeneratedColumnValue, "The value specified for generated column", 1906, "HY000"}, // MariaDB's; MySQL has 3105
	{sql.ErrFieldNoDefaultValue, "doesn't have a default value", 1364, "HY000"},
	{types.ErrConvertingToTime, "Incorrect datetime value", 1292, "22007"},
	{sql.ErrTableAlreadyExists, "", 1050, "42S01"},
	{sql.ErrColumnNotFound, "", 1054, "42S22"},
	{sql.ErrTableColumnNotFound, "", 1054, "42S22"},
	{sql.ErrFunctionNotFound, "", 1305, "42000"},
	{sql.ErrSavepointDoesNotExist, "", 1305, "42000"},
	{sql.ErrSyntaxError, "syntax error at position", 1064, "42000"},
	{sql.ErrAmbiguousColumnName, "", 1052, "23000"},
	{sql.ErrInsertIntoMismatchValueCount, "", 1136, "21S01"},
	{sql.ErrMoreThanOneRow, "", 1172, "42000"},
	{sql.ErrTriggerTableInUse, "", 1442, "HY000"},
}

// states are the SQLSTATEs of codes.
var states = map[int]string{
	1048: "23000", 1054: "42S22", 1062: "23000", 1110: "42000", 1242: "21000", 1064: "42000", 1146: "42S02", 1213: "40001", 1264: "22003", 1292: "22007", 1364: "HY000",
	1366: "22007", 1406: "22001", 1451: "23000", 1452: "23000", 1690: "22003", 1792: "25006",
}

// ERServerShutdown is the code of statements after the run has ended.
const erShutdown = 1053

// serverError is an error as the server has it.
func (c *Conn) serverError(err error) *mysql.SQLError {
	var own *mysql.SQLError
	var modelled *model.Error
	switch {
	case errors.Is(err, program.ErrEnded):
		return mysql.NewSQLError(erShutdown, "08S01", "%v", program.ErrEnded)
	case errors.Is(err, storage.ErrLocked):
		return c.refusedLock()
	case errors.As(cause(err), &modelled) && modelErrors[modelled.Code] != nil:
		return modelErrors[modelled.Code]
	case errors.As(err, &own):
		return own
	}
	e := sql.CastSQLError(err)
	e = mysql.NewSQLError(e.Num, e.State, "%s", e.Message)
	for _, k := range kinds {
		if k.kind.Is(err) || k.kind.Is(cause(err)) || e.Num == mysql.ERUnknownError && k.text != "" && strings.Contains(e.Message, k.text) {
			e.Num, e.State = k.code, k.state
			break
		}
	}
	if c.engine.as.IsMySQL() {
		asMySQL(e, err)
	}
	if e.Num == 1366 && dateValue.MatchString(e.Message) {
		e.Num = 1292
	}
	if d := c.session.Dup; e.Num == mysql.ERDupEntry && d.Index != "" {
		e.Message = fmt.Sprintf("Duplicate entry '%s' for key '%s'", d.Value, d.Index)
	}
	if state, ok := states[e.Num]; ok {
		e.State = state
	}
	return e
}

// dateValue is the engine's message of a text that is no date.
var dateValue = regexp.MustCompile(`is not a valid value for '(date|time)`)

// cause is what an insert has met.
func cause(err error) error {
	var w sql.WrappedInsertError
	if errors.As(err, &w) {
		return w.Cause
	}
	return err
}

// syntaxError is the error of a statement that cannot be parsed.
func syntaxError(text string, err error) *mysql.SQLError {
	const shown = 80
	text = original(text)
	if len(text) > shown {
		text = text[:shown] + "…"
	}
	_, said, ok := strings.Cut(err.Error(), "\n") // after a code of Vitess
	if !ok {
		said = err.Error()
	}
	return mysql.NewSQLError(mysql.ERParseError, "42000", "You have an error in your SQL syntax: %s: %s", strings.TrimSpace(said), text)
}
