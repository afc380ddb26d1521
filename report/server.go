package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/isolation"
)

// EngineServer is the engine of a result that comes from a real server.
const EngineServer = "server"

// Verdicts of a violation on a real server.
const (
	// Confirmed: the assertion fails there.
	Confirmed = "confirmed"
	// Diverges: the server does something else than the model.
	Diverges = "differs"
	// Unconfirmed: the assertion fails in none of the executions that were tried.
	Unconfirmed = "unconfirmed"
	// Unsaid: there is nothing to be said, for the reason in Message.
	Unsaid = "unsaid"
)

// Confirmation is what becomes of a violation on a real server.
type Confirmation struct {
	Server  string `json:"server"`          // such as PostgreSQL 15.18
	Level   string `json:"level,omitempty"` // of transactions that ask for none, as BEGIN names it
	Verdict string `json:"verdict"`         // confirmed, differs, unconfirmed, unsaid
	// Message says more: why there is nothing to be said, or what it may come from.
	Message string `json:"message,omitempty"`
	// Answers are what the server has answered, statement by statement.
	Answers []Answered `json:"answers,omitempty"`
	// Difference is the first statement, if one, that has come to something else than
	// under the model.
	Difference *Difference `json:"difference,omitempty"`
	// Failures are the assertions that fail on the server.
	Failures []Failure `json:"failures,omitempty"`
	// Executions counts those that were tried where the violation has no schedule of
	// statements, and Complete says that there are no others.
	Executions int64 `json:"executions,omitempty"`
	Complete   bool  `json:"complete,omitempty"`
}

// Answered is a statement, with its answer under the model and its answer on the server.
type Answered struct {
	Step      int    `json:"step"`
	Session   string `json:"session"`
	Statement string `json:"statement"`
	At        string `json:"at,omitempty"`
	Model     string `json:"model,omitempty"`
	Server    string `json:"server"`
}

// ServerThatHas is a throw-away server that can have the violation, which is of statements in
// SQL at a level of a database. It is "" for other violations: one without a schedule may be
// of a program for another database.
func (v *Violation) ServerThatHas() string {
	level, err := isolation.Parse(v.Iso)
	if err != nil || !slices.ContainsFunc(v.Schedule, func(o Operation) bool { return o.Op == OpStatement }) {
		return ""
	}
	return map[isolation.Database]string{isolation.PostgreSQL: "postgres:temp", isolation.InnoDB: "mariadb:temp"}[level.Database()]
}

// Line is the verdict in a line.
func (c *Confirmation) Line() string {
	where := c.Server
	if c.Level != "" {
		where += " at " + c.Level
	}
	tried := count(c.Executions, "execution", "executions")
	switch {
	case c.Verdict == Confirmed && c.Executions > 0:
		return fmt.Sprintf("confirmed on %s, in the last of %s", where, tried)
	case c.Verdict == Confirmed:
		return "confirmed on " + where
	case c.Verdict == Diverges:
		return fmt.Sprintf("not confirmed on %s: after %s the server does something else", where, count(int64(len(c.Answers)), "statement", "statements"))
	case c.Verdict == Unconfirmed && c.Executions == 0:
		return fmt.Sprintf("not confirmed on %s: no assertion fails there", where)
	case c.Verdict == Unconfirmed && c.Complete:
		return fmt.Sprintf("not confirmed on %s: no assertion fails there in any of %s", where, tried)
	case c.Verdict == Unconfirmed:
		return fmt.Sprintf("not confirmed on %s: no assertion fails in %s, and there are more", where, tried)
	case c.Executions > 0:
		return fmt.Sprintf("not seen on %s in %s", where, tried)
	}
	return fmt.Sprintf("not tried on %s", where)
}

// Text is the verdict with its reasons, without the statements; "" without one.
func (c *Confirmation) Text() string {
	if c == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(fold("  "+c.Line()) + c.differs())
	if c.Message != "" {
		b.WriteString(fold("  " + c.Message))
	}
	return b.String()
}

// differs shows the statement that has come to something else.
func (c *Confirmation) differs() string {
	if c.Difference == nil {
		return ""
	}
	d := c.Difference
	return "\n" + table([][]string{{"", d.Session, ""}, {"model", d.Recorded, d.RecordedAt}, {"server", d.Now, d.NowAt}}) + "\n"
}

// onServer renders the replay of a violation on a real server.
func (t *Text) onServer(r *Replay) string {
	c := r.Confirmation
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  iso=%s\n\n", c.Line(), t.Name(r.Package, r.Program), r.Iso)
	b.WriteString(c.answers() + c.differs())
	if c.Message != "" {
		b.WriteString("\n" + fold("  "+c.Message))
	}
	for _, f := range c.Failures {
		b.WriteString("\n" + t.paintLine(red, f.text(map[string]string{})))
	}
	return b.String()
}

// answers lists the statements, each with what it has come to below it.
func (c *Confirmation) answers() string {
	var b strings.Builder
	last := 0
	for i := range c.Answers {
		a := &c.Answers[i]
		number := ""
		if a.Step != last {
			number, last = fmt.Sprint(a.Step), a.Step
		}
		line := fmt.Sprintf("  %2s  %s  ", number, a.Session)
		indent := strings.Repeat(" ", cells(line))
		b.WriteString(fold(line + a.Statement))
		switch {
		case a.Model == a.Server:
			b.WriteString(fold(indent + "both: " + a.Server))
		case a.Model == "":
			b.WriteString(fold(indent + "server: " + a.Server))
		default:
			b.WriteString(fold(indent+"model: "+a.Model) + fold(indent+"server: "+a.Server))
		}
	}
	return b.String()
}

// TypeServerComparison is the type of [ServerComparison].
const TypeServerComparison = "server-comparison"

// ServerComparison compares the outcomes of a program under a database's model with those
// on a real server.
type ServerComparison struct {
	Type    string `json:"type"` // "server-comparison"
	Schema  int    `json:"schema"`
	Package string `json:"package"`
	Program string `json:"program"`
	Iso     string `json:"iso"`
	Server  string `json:"server"`
	Level   string `json:"level"`
	// Outcomes are those that both have, and OnlyModel and OnlyServer those that one has.
	Outcomes   int64     `json:"outcomes"`
	OnlyModel  []Outcome `json:"only_model"`
	OnlyServer []Outcome `json:"only_server"`
	// ByTiming are the outcomes of the model that this server has only with other timing. A
	// schedule does not say who is the victim of a deadlock, and who goes on first.
	ByTiming []Outcome `json:"by_timing,omitempty"`
	// ByOrder counts outcomes that both have but for the order of rows, where no statement has asked for one.
	ByOrder    int64   `json:"by_order,omitempty"`
	Executions int64   `json:"executions"` // on the server
	Complete   bool    `json:"complete"`
	Stopped    string  `json:"stopped,omitempty"`
	Seconds    float64 `json:"seconds"`
}

// Outcome is an execution that has led to an outcome.
type Outcome struct {
	Execution
	Saw []Assigned `json:"saw"` // by session: what its statements were answered
}

// Differ is the number of outcomes that only one has.
func (c *ServerComparison) Differ() int { return len(c.OnlyModel) + len(c.OnlyServer) }

// ServerComparison renders a comparison.
func (t *Text) ServerComparison(c *ServerComparison) string {
	where := fmt.Sprintf("%s  iso=%s", t.Name(c.Package, c.Program), c.Iso)
	seconds := fmt.Sprintf("%.2fs", c.Seconds)
	if c.Differ() == 0 {
		verdict, more := "same", "complete"
		if !c.Complete {
			verdict, more = "INCOMPLETE", t.end(&Result{Stopped: c.Stopped})
		}
		timing := ""
		if n := len(c.ByTiming); n > 0 {
			timing = fmt.Sprintf(", %d more by other timing", n)
		}
		if c.ByOrder > 0 {
			timing += fmt.Sprintf(", %d with rows in another order", c.ByOrder)
		}
		return fmt.Sprintf("%-5s %s  %s on %s and under the model%s, %s, %s  %s\n",
			verdict, where, count(c.Outcomes, "outcome", "outcomes"), c.Server, timing, count(c.Executions, "execution", "executions"), more, seconds)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "DIFFER  %s  %s has %d outcomes that the model lacks, and the model %d that it lacks, of %d  %s\n",
		where, c.Server, len(c.OnlyServer), len(c.OnlyModel), c.Outcomes+int64(c.Differ()), seconds)
	return b.String() + only("the model", c.OnlyModel) + only(c.Server, c.OnlyServer)
}

// only shows the first of the outcomes that who alone has.
func only(who string, list []Outcome) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n  only %s has this outcome\n\n%s%s", who, list[0].operations(none), list[0].leaves())
	for _, s := range list[0].Saw {
		b.WriteString(fold("  " + s.Key + " sees: " + s.Value))
	}
	return b.String()
}
