package wire

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
)

// Answer is the end of a statement, as bytes and as words. The bytes are equal when the
// client sees the same. The words are for reports: the kind of result and a number of
// rows, or ! and the error's number, a blank and its message.
func Answer(r *sqltypes.Result, err error) (answer []byte, words string) {
	var failed *mysql.SQLError
	switch {
	case errors.As(err, &failed):
		words = fmt.Sprintf("!%d %s", failed.Num, failed.Message)
		return []byte(words), words
	case err != nil || r == nil:
		return []byte("!"), ""
	}
	answer = fmt.Appendf(nil, "%d %d %s;", r.RowsAffected, r.InsertID, r.Info)
	for _, f := range r.Fields {
		answer = fmt.Appendf(answer, "%q", f.Name)
	}
	for _, row := range r.Rows {
		answer = append(answer, '\n')
		for _, v := range row {
			if v.IsNull() {
				answer = append(answer, 'n')
				continue
			}
			answer = strconv.AppendQuote(answer, string(v.Raw()))
		}
	}
	return answer, "OK " + strconv.FormatUint(r.RowsAffected, 10)
}
