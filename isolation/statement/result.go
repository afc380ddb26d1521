package statement

import (
	"slices"
	"strconv"
	"strings"
)

// ResultKind is the kind of a result.
type ResultKind uint8

// The kinds of results, with the text of each.
const (
	Rows       ResultKind = iota // id=v,id=v; - for none
	Aggregate                    // n<count>/<sum>
	Count                        // affected rows
	Committed                    // C
	RolledBack                   // R
	Saved                        // S
	Failed                       // !code
)

// IDValue is a row of a SELECT.
type IDValue struct{ ID, V int }

// Result is the result of one action.
type Result struct {
	Kind ResultKind
	Code string    // Failed: SQLSTATE, or MariaDB's error number
	Rows []IDValue // Rows: in the order in which the server returned them
	N    int       // Aggregate: count(*). Count: affected rows
	Sum  int       // Aggregate: sum(v)
}

// Fail is the result of an action that failed with this code.
func Fail(code string) Result { return Result{Kind: Failed, Code: code} }

// Local is the client's $local after a SELECT; read is false for every other
// result.
func (r Result) Local() (sum int, read bool) {
	switch r.Kind {
	case Rows:
		for _, row := range r.Rows {
			sum += row.V
		}
		return sum, true
	case Aggregate:
		return r.Sum, true
	}
	return 0, false
}

// String is the result's text in recorded outcomes.
func (r Result) String() string {
	switch r.Kind {
	case Rows:
		return rowsText(r.Rows)
	case Aggregate:
		return "n" + strconv.Itoa(r.N) + "/" + strconv.Itoa(r.Sum)
	case Committed:
		return "C"
	case RolledBack:
		return "R"
	case Saved:
		return "S"
	case Failed:
		return "!" + r.Code
	}
	return strconv.Itoa(r.N)
}

func rowsText(rows []IDValue) string {
	if len(rows) == 0 {
		return "-"
	}
	var b strings.Builder
	for i, row := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(row.ID) + "=" + strconv.Itoa(row.V))
	}
	return b.String()
}

// Tables are the rows of t and c after an execution.
type Tables struct {
	T []Row
	C []ChildRow
}

// Outcome is the text of an execution: the results of each session in order,
// then the final rows by key.
func (p *Program) Outcome(results [][]string, final Tables) string {
	var b strings.Builder
	for i, r := range results {
		b.WriteString("s" + strconv.Itoa(i) + "[" + strings.Join(r, " ") + "] ")
	}
	slices.SortFunc(final.T, func(a, b Row) int { return a.ID - b.ID })
	slices.SortFunc(final.C, func(a, b ChildRow) int { return a.ID - b.ID })
	var t, c []string
	for _, r := range final.T {
		t = append(t, strconv.Itoa(r.ID)+":"+strconv.Itoa(r.V)+":"+strconv.Itoa(r.U))
	}
	for _, r := range final.C {
		c = append(c, strconv.Itoa(r.ID)+">"+strconv.Itoa(r.Tid))
	}
	b.WriteString("t{" + strings.Join(t, " ") + "}")
	if p.HasChild {
		b.WriteString(" c{" + strings.Join(c, " ") + "}")
	}
	return b.String()
}
