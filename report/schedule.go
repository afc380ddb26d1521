package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
)

// Operation is an operation of an execution under a database's model, or the end of one that
// waited. They stand in the order in which they ran.
type Operation struct {
	Step        int    `json:"step"` // from 1; what one step releases has its number
	Session     string `json:"session"`
	Connection  int    `json:"connection,omitempty"` // of the session's, from 2; the first one is not told
	Transaction string `json:"transaction"`          // its ID
	Name        string `json:"name"`                 // as the program names the transaction
	Level       string `json:"level,omitempty"`
	What        string `json:"what"` // ran, waits, goes on, pauses, resumes
	Op          string `json:"op"`   // select, with its locking clause; update, insert, delete, statement, commit, rollback, …
	Statement   string `json:"statement,omitempty"`
	Key         string `json:"key,omitempty"`
	// Value is what a select returns and an update or insert writes; Found is what an
	// update by a function has found. They are printed as Go prints them. Result is what a
	// statement on a table gives: rows with their values, or a number of rows.
	Value  string `json:"value,omitempty"`
	Found  string `json:"found,omitempty"`
	Result string `json:"result,omitempty"`
	// Rows are what a statement of SQL reads and writes.
	Rows []string `json:"rows,omitempty"`
	// Unmatched is true of an update whose function has left the row as it is.
	Unmatched bool     `json:"unmatched,omitempty"`
	Point     string   `json:"point,omitempty"` // of pauses: what the statement has done
	For       []string `json:"for,omitempty"`   // of waits: the sessions that are waited for; "itself" for another connection of this one
	After     string   `json:"after,omitempty"` // of goes on: the operation that ended the wait
	Error     string   `json:"error,omitempty"` // SQLSTATE
	Message   string   `json:"message,omitempty"`
	At        string   `json:"at,omitempty"`
}

// Itself is in Operation.For where a session waits for another connection of its own.
const Itself = "itself"

// What became of an operation.
const (
	StepRan    = "ran"
	StepWaits  = "waits"
	StepGoesOn = "goes on"
	// Others run before a statement goes on: it pauses, and later resumes.
	StepPauses  = "pauses"
	StepResumes = "resumes"
)

// who is the session, with its connection if that is not the first one.
func (s *Operation) who() string {
	if s.Connection == 0 {
		return s.Session
	}
	return fmt.Sprintf("%s, conn %d", s.Session, s.Connection)
}

// Assigned is a key and the value that it is left with.
type Assigned struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Executed is the line of an execution with failures under a database's model.
func (s Source) Executed(failures []*behaviour.Failure, steps []Operation, left []Assigned, values []behaviour.ValueID) *Violation {
	v := &Violation{
		Type: TypeViolation, Schema: Schema, Package: s.Package, Program: s.Program, Iso: s.Level.String(),
		Failures: []Failure{}, Order: []string{}, Execution: Execution{Schedule: steps},
		History: History{Transactions: []Transaction{}, WR: []Edge{}},
	}
	if c, ok := s.Names.(interface{ Begun() string }); ok {
		v.Clock = c.Begun()
	}
	for _, x := range failures {
		v.Failures = append(v.Failures, s.failure(x))
	}
	v.Left = append(left, s.left(values)...)
	return v
}

// ListedExecution is the line of an execution in a listing.
func (s Source) ListedExecution(steps []Operation, left []Assigned, values []behaviour.ValueID) *Listed {
	return &Listed{
		Type: TypeHistory, Schema: Schema, Package: s.Package, Program: s.Program, Iso: s.Level.String(),
		History:   History{Transactions: []Transaction{}, WR: []Edge{}},
		Execution: Execution{Schedule: steps, Left: append(left, s.left(values)...)},
	}
}

func (s Source) left(values []behaviour.ValueID) (list []Assigned) {
	for x, val := range values {
		if val != behaviour.NoRow {
			list = append(list, Assigned{s.Names.Key(behaviour.VarID(x)), s.Names.Format(val)})
		}
	}
	return list
}

// executed renders a violation under a database's model: its steps, and what is left.
func (t *Text) executed(v *Violation) string {
	var b strings.Builder
	b.WriteString("\n")
	if s := v.levels(); s != "" {
		b.WriteString(fold("  "+s) + "\n")
	}
	b.WriteString(v.operations(v.irrelevantSession) + "\n" + v.responses() + v.leaves())
	names := map[string]string{}
	for i := range v.Schedule {
		names[v.Schedule[i].Transaction] = v.Schedule[i].Name
	}
	for _, f := range v.Failures {
		b.WriteString(t.paintLine(red, f.text(names)))
	}
	b.WriteString(v.irrelevant())
	if s := v.prevented(); s != "" {
		b.WriteString(fold("  " + s))
	}
	b.WriteString(v.Confirmation.Text() + "\n")
	return b.String()
}

// title is the level by the database's words; "" where the name is none.
func title(iso string) string {
	l, err := isolation.Parse(iso)
	if err != nil {
		return ""
	}
	return l.Title()
}

// levels are those of the transactions by the database's words: the one of the exploration, unless
// they have asked for others.
func (v *Violation) levels() string {
	var list []string // levels, each with those that have it
	names := map[string][]string{}
	for _, s := range v.Schedule {
		if s.Session == final || s.Op == OpCommit || s.Op == OpRollback {
			continue
		}
		level := cmp.Or(s.Level, v.Iso)
		if !slices.Contains(list, level) {
			list = append(list, level)
		}
		if !slices.Contains(names[level], s.Name) {
			names[level] = append(names[level], s.Name)
		}
	}
	if len(list) < 2 {
		return title(append(list, v.Iso)[0])
	}
	for i, level := range list {
		of := title(level)
		if i > 0 {
			l, _ := isolation.Parse(level)
			of = strings.TrimPrefix(of, l.Database().Title()+" ")
		}
		list[i] = of + ": " + strings.Join(names[level], ", ")
	}
	return strings.Join(list, "; ")
}

// irrelevantSession reports whether a session has nothing to do with the failure.
func (v *Violation) irrelevantSession(name string) bool {
	return !v.allIrrelevant() && slices.Contains(v.Irrelevant, Part{Session: name})
}

// none leaves no session out.
func none(string) bool { return false }

// operations is the table of the operations in the order in which they ran. Those of sessions that are
// left out are counted.
func (e *Execution) operations(leftOut func(session string) bool) string {
	lines := [][]string{{"step", "line", "session", "transaction", "operation"}}
	last := 0
	for i := 0; i < len(e.Schedule); i++ {
		s := &e.Schedule[i]
		lines = append(lines, e.printed(i, leftOut)...)
		if n := e.run(i, leftOut); n > 0 {
			lines = append(lines, []string{"…", "", s.Session, "", count(int64(n), "operation", "operations") + ", irrelevant"})
			i += n - 1
			continue
		}
		number := ""
		if s.Step != last {
			number, last = fmt.Sprint(s.Step), s.Step
		}
		lines = append(lines, []string{number, short(s.At), s.who(), s.Name, s.Text()})
		for _, row := range s.Rows {
			lines = append(lines, []string{"", "", "", "", "  " + row})
		}
	}
	return aligned(append(lines, e.printed(len(e.Schedule), leftOut)...))
}

// run counts the operations from i on of one session that is left out.
func (e *Execution) run(i int, leftOut func(session string) bool) (n int) {
	session := e.Schedule[i].Session
	for leftOut(session) && i+n < len(e.Schedule) && e.Schedule[i+n].Session == session {
		n++
	}
	return n
}

// responses are what requests were answered, where sessions are requests.
func (v *Violation) responses() string {
	if !strings.HasSuffix(v.Package, ".yaml") && !strings.HasSuffix(v.Package, ".yml") {
		return ""
	}
	var b strings.Builder
	for _, o := range v.Observed {
		b.WriteString(fold("  " + o.Key + " gets: " + strings.ReplaceAll(o.Value, `\"`, `"`)))
	}
	return b.String()
}

// prevented says which level would have prevented the violation, and what that costs.
func (s *Selection) prevented() string {
	prevents, errors := "SERIALIZABLE", s.ErrorsAtSER
	if l, err := isolation.Parse(s.PreventedAt); err == nil {
		prevents, errors = strings.TrimPrefix(l.Title(), l.Database().Title()+" "), s.ErrorsThere
	}
	expects := ""
	if len(errors) > 0 {
		expects = ": there code has to expect " + strings.Join(errors, " and ")
	}
	const serially = "the assertion holds when the transactions run one after another"
	switch {
	case s.AtSerial == "fails":
		return "isolation is not the cause: the assertion fails too when the transactions run one after another"
	case s.AtSER == "holds":
		return prevents + " prevents this" + expects
	case s.AtSER == "fails" && s.AtSerial == "holds":
		return "SERIALIZABLE alone does not prevent this" + expects + "; " + serially
	case s.AtSER == "fails":
		return "SERIALIZABLE alone does not prevent this" + expects
	case s.AtSerial == "holds":
		return serially
	}
	return ""
}

// The last column of an execution stands beside the others when it has that much room, and
// no cell needs more lines than that, and no word is wider. Else wide cells stand below the
// others.
const (
	leastBeside = 32
	mostLines   = 3
	below       = "        "
)

// aligned writes lines in columns. What is too wide for the last column goes on below it, or
// stands on lines of its own.
func aligned(lines [][]string) string {
	last := len(lines[0]) - 1
	wide, widest, word := make([]int, last), 0, 0
	for _, line := range lines {
		for i := range wide {
			line[i] = oneLine(line[i])
			wide[i] = max(wide[i], cells(line[i]))
		}
		widest = max(widest, cells(line[last]))
		for w := range strings.FieldsSeq(line[last]) {
			word = max(word, cells(w))
		}
	}
	room := width - total(wide) - len("  ")
	beside := room >= leastBeside && widest <= mostLines*room && word+len("  ") <= room
	var b strings.Builder
	for _, line := range lines {
		var before strings.Builder
		for i, w := range wide {
			before.WriteString("  " + pad(line[i], w))
		}
		text := oneLine(strings.TrimLeft(line[last], " "))
		in := strings.Repeat(" ", len(line[last])-len(strings.TrimLeft(line[last], " ")))
		switch head := strings.TrimRight(before.String(), " "); {
		case cells(before.String())+len("  ")+len(in)+cells(text) <= width:
			b.WriteString(before.String() + "  " + in + text + "\n")
		case beside:
			b.WriteString(hang(before.String()+"  "+in, text))
		case head == "":
			b.WriteString(hang(below+in, text))
		default:
			b.WriteString(head + "\n" + hang(below+in, text))
		}
	}
	return b.String()
}

// Text is the operation in words.
func (s *Operation) Text() string {
	switch {
	case s.What == StepWaits && len(s.For) == 0:
		return s.operation() + ": waits"
	case s.What == StepWaits:
		return s.operation() + ": waits for " + strings.Join(s.For, ", ")
	case s.What == StepPauses:
		return s.operation() + ": " + s.Point
	case s.Error != "" && (s.What == StepGoesOn || s.What == StepResumes):
		return s.operation() + s.after() + " and fails: " + s.Message + " (" + s.Error + ")"
	case s.Error != "":
		return s.operation() + " fails: " + s.Message + " (" + s.Error + ")"
	case s.What == StepGoesOn && s.Op == OpStatement && s.Found != "":
		return s.operation() + s.after() + ", sees " + s.Found + s.result()
	case s.What == StepGoesOn && s.Found != "":
		return s.operation() + s.after() + ", sees " + s.Found + s.changes()
	case s.What == StepGoesOn, s.What == StepResumes:
		return s.operation() + s.after() + s.result()
	}
	return s.operation() + s.result()
}

func (s *Operation) after() string {
	if s.After == "" {
		return " goes on"
	}
	return " goes on after " + s.After
}

func (s *Operation) operation() string {
	text := s.Op
	if s.Op == OpStatement {
		text = s.Statement
	}
	if s.Key != "" {
		text += " " + s.Key
	}
	if (s.Op == OpUpdate || s.Op == OpInsert) && s.Value != "" && s.What != StepGoesOn {
		text += " = " + s.Value
	}
	return text
}

// changes says how an update changes the row that it sees after a wait.
func (s *Operation) changes() string {
	switch {
	case s.Unmatched:
		return ", which does not match: no row is updated"
	case s.Value != "":
		return " and sets " + s.Value
	}
	return ""
}

// result is what an operation that succeeded gives.
func (s *Operation) result() string {
	switch {
	case s.Unmatched:
		return ", " + s.Found + " does not match: no row is updated"
	case s.Op == OpUpdate && s.Found != "" && s.What == StepRan:
		return ", finds " + s.Found
	case s.Result != "":
		return " → " + s.Result
	case strings.HasPrefix(s.Op, OpSelect):
		return " → " + s.Value
	}
	return ""
}

// The operations of steps.
const (
	OpSelect     = "select" // followed by its locking clause
	OpUpdate     = "update"
	OpInsert     = "insert"
	OpDelete     = "delete"
	OpSavepoint  = "savepoint"
	OpRollbackTo = "rollback to savepoint"
	OpRelease    = "release savepoint"
	OpStatement  = "statement" // of SQL
	OpCommit     = "commit"
	OpRollback   = "rollback"
)
