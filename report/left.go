package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// fewRows is how many rows are shown whatever they are.
const fewRows = 12

// leaves says which values are left. Of many rows, those of tables are shown that statements name: an application's database has
// others, of which nothing has been asked.
func (e *Execution) leaves() string {
	if len(e.Left) == 0 {
		return ""
	}
	var left []string
	named := map[string]bool{}
	rows, tables := 0, 0 // that are not shown
	for _, a := range e.Left {
		if len(e.Left) > fewRows && strings.HasPrefix(a.Value, "{") {
			is, known := named[a.Key]
			if !known {
				is = e.names(a.Key)
				named[a.Key] = is
			}
			if !is {
				rows++
				if !known {
					tables++
				}
				continue
			}
		}
		left = append(left, a.Key+" = "+a.Value)
	}
	if rows > 0 {
		left = append(left, fmt.Sprintf("and %s of %s that no statement names", count(int64(rows), "row", "rows"), count(int64(tables), "table", "tables")))
	}
	return fold("  left: " + strings.Join(left, ", "))
}

// names reports whether a statement has named a table, or a row of it has been read or written.
func (e *Execution) names(table string) bool {
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(table) + `\b`)
	return slices.ContainsFunc(e.Schedule, func(o Operation) bool {
		return word.MatchString(o.Statement) || slices.ContainsFunc(o.Rows, word.MatchString)
	})
}
