package engine

import (
	"regexp"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
)

// Errors that MySQL 8.4 and MariaDB have by other numbers (MySQL 8.4 Error Message Reference; MariaDB Error
// Codes).

var (
	errTimeout = mysql.NewSQLError(1205, "HY000", "Lock wait timeout exceeded; try restarting transaction")
	errNoWait  = mysql.NewSQLError(3572, "HY000", "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.")
)

// refusedLock is the error of NOWAIT.
func (c *Conn) refusedLock() *mysql.SQLError {
	if c.engine.as.IsMySQL() {
		return errNoWait
	}
	return errTimeout
}

// namedDeadlock is the error of who closes a circle of waits for locks by name. Its transaction goes on.
func (c *Conn) namedDeadlock() *mysql.SQLError {
	if c.engine.as.IsMySQL() {
		return mysql.NewSQLError(3058, "HY000", "Deadlock found when trying to get user-level lock; try rolling back transaction/releasing locks and restarting lock acquisition.")
	}
	return mysql.NewSQLError(1213, "40001", "%s", modelErrors["1213"].Message)
}

// violated finds the name in the engine's message of a CHECK.
var violated = regexp.MustCompile(`(?i)^check constraint "?([^"]*)"? violated`)

// asMySQL gives an error the number that it has in MySQL.
func asMySQL(e *mysql.SQLError, err error) {
	switch {
	case e.Num == 4025 && sql.ErrCheckConstraintViolated.Is(cause(err)):
		e.Num, e.State = 3819, "HY000"
		if m := violated.FindStringSubmatch(e.Message); m != nil {
			e.Message = "Check constraint '" + m[1] + "' is violated."
		}
	case e.Num == 4025:
		e.Num, e.State = 3140, "22032"
	case e.Num == 1906:
		e.Num, e.State = 3105, "HY000"
	}
}
