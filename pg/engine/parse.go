// What the server's own parser says of SQL text: where its statements are.

package engine

import (
	"errors"
	"fmt"
)

// Statement is one of several in a text.
type Statement struct {
	Text string
	At   int // where it begins in the text, in bytes
}

// Fields of RawStmt (nodes/parsenodes.h).
const rawStmt, rawAt, rawLength = 4, 8, 12

// ErrSyntax says that the server cannot parse a text.
var ErrSyntax = errors.New("the text cannot be parsed")

// Statements splits a text into its statements, by the server's parser. The instance must be idle.
func (x *Instance) Statements(sql string) (list []Statement, err error) {
	err = x.parsed(sql, func(raw uint32) {
		at, n := int(x.proc.Word(raw+rawAt)), int(x.proc.Word(raw+rawLength))
		if n == 0 { // up to the end
			n = len(sql) - at
		}
		if at >= 0 && n >= 0 && at+n <= len(sql) {
			list = append(list, Statement{sql[at : at+n], at})
		}
	})
	return list, err
}

// parsed gives the RawStmts of a text to f.
func (x *Instance) parsed(sql string, f func(raw uint32)) error {
	err := x.Do(func(c *Call) error {
		return x.scratch(func() error {
			p := x.proc
			at := uint32(p.Must("palloc", uint64(len(sql)+1)))
			copy(p.Bytes(at, uint32(len(sql)+1)), sql+"\x00")
			for _, raw := range x.list(uint32(p.Must("pg_parse_query", uint64(at)))) {
				f(raw)
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	return nil
}
