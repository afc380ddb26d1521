package find

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txmc/txmc/report"
)

// How wide text is, how far lines that go on are indented at most, and how far behind a head
// that is longer, in characters.
const (
	width  = 80
	most   = 40
	behind = 8
)

// Text is the report for people.
func (r *Report) Text() string {
	var b strings.Builder
	r.table(&b)
	if len(r.Unknown) > 0 {
		b.WriteString("not understood\n")
		for _, p := range r.Unknown {
			folded(&b, "  "+p.At+"  ", p.What)
		}
		b.WriteString("\n")
	}
	if len(r.Left) > 0 {
		b.WriteString("not looked at\n")
		for _, l := range r.Left {
			folded(&b, "  "+l.Package+"  ", firstLine(l.Why))
		}
		b.WriteString("\n")
	}
	if r.Schema != nil && len(r.Schema.Left) > 0 {
		b.WriteString("left out of the schema\n")
		for _, why := range r.Schema.Left {
			folded(&b, "  ", firstLine(why))
		}
		b.WriteString("\n")
	}
	for _, f := range r.Findings {
		f.text(&b)
	}
	if r.Ran {
		r.harmless(&b)
		r.others(&b)
	}
	r.summary(&b)
	return b.String()
}

// firstLine is the first line of what the go command says that is no heading.
func firstLine(said string) string {
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return said
}

// table lists the transactions.
func (r *Report) table(b *strings.Builder) {
	for _, c := range r.Calls {
		fmt.Fprintf(b, "%s  %s\n", c.At, c.Name)
		for _, t := range c.Transactions {
			t.table(b)
		}
	}
	b.WriteString("\n")
}

func (t *Transaction) table(b *strings.Builder) {
	switch level := map[string]string{"rc": "read committed", "rr": "repeatable read", "ser": "serializable"}[t.Level]; {
	case t.Auto:
		fmt.Fprintf(b, "  %s  autocommit\n", t.At)
	case level != "":
		fmt.Fprintf(b, "  %s  transaction, %s\n", t.At, level)
	default:
		fmt.Fprintf(b, "  %s  transaction\n", t.At)
	}
	for i, s := range t.Statements {
		loop := ""
		if s.Loop {
			loop = "repeatedly: "
		}
		if s.Seen {
			loop = "seen in a run: " + loop
		}
		folded(b, fmt.Sprintf("    %d  ", i+1), loop+s.SQL)
		for k, a := range s.Args {
			folded(b, fmt.Sprintf("         $%d = ", k+1), a)
		}
		for _, g := range s.If {
			folded(b, "         if ", g)
		}
	}
}

// text is an anomaly with the run that shows it.
func (f *Finding) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s  %s%s\n", strings.ToUpper(f.Rank.String()), strings.Join(f.Calls, ", "), f.between())
	for i, call := range f.Invoked {
		folded(b, fmt.Sprintf("  %d  ", i+1), call)
	}
	for _, s := range f.Structures {
		folded(b, "  cycle  ", s)
	}
	for _, i := range f.Invariants {
		folded(b, "  breaks  ", i)
	}
	b.WriteString("\n")
	f.run(b)
	for _, x := range f.Violation.Failures {
		folded(b, "  ", x.Message)
	}
	b.WriteString(f.Violation.Confirmation.Text())
	for _, a := range f.Advice {
		a.text(b)
	}
	f.refuted(b)
	if f.Explore != "" {
		folded(b, "  again  ", f.Explore)
	}
	b.WriteString("\n")
}

// between says of an anomaly that no level prevents it.
func (f *Finding) between() string {
	if !f.Between {
		return ""
	}
	return ": between transactions of a call"
}

// text is an advice and what it costs.
func (a *Advice) text(b *strings.Builder) {
	for i, c := range a.Change {
		head := "  advice  "
		if i > 0 {
			head = "     and  "
		}
		folded(b, head, c)
	}
	if len(a.Errors) == 0 {
		b.WriteString("    costs waiting; no outcome has an error\n")
	}
	for _, code := range slices.Sorted(maps.Keys(a.Errors)) {
		folded(b, "    costs  ", fmt.Sprintf("%s in %d of %s: %s", code, a.Errors[code], count(int(a.Outcomes), "outcome"), remedy(code)))
	}
	if a.Retries > 0 {
		folded(b, "    retry  ", fmt.Sprintf("after %s, at most %d times: then all calls succeed", a.again(), a.Retries))
	}
	switch {
	case a.Server != "":
		folded(b, "    server  ", a.Server)
	case a.ByPlan:
		folded(b, "    unsure  ", "a server may have 23505 for 40001, and then this does not help: "+byPlan)
	}
	for line := range strings.Lines(a.Patch) {
		b.WriteString(strings.TrimRight("    | "+line, "\n") + "\n")
	}
}

// refuted tells of changes that do not help on the server.
func (f *Finding) refuted(b *strings.Builder) {
	for i, x := range f.Refuted {
		for k, c := range x.Change {
			head := "  no advice  "
			if k > 0 {
				head = "        and  "
			}
			folded(b, head, c)
		}
		folded(b, "    fails  ", fmt.Sprintf("on %s, not by exploration: %s", x.Server, x.Why))
		helps := slices.ContainsFunc(f.Advice, func(a *Advice) bool { return a.Kind == x.Kind })
		more := slices.ContainsFunc(f.Refuted[i+1:], func(r Refuted) bool { return r.Kind == x.Kind })
		if !helps && !more {
			folded(b, "    left  ", "no other change of this kind helps in both")
		}
	}
}

// again are the errors after which calls are made again.
func (a *Advice) again() string {
	for code := range a.Errors {
		if len(code) == 4 {
			return "1213 and 1020"
		}
	}
	return "40001 and 40P01"
}

// remedy is what code has to do about an error.
func remedy(code string) string {
	if refused(code) {
		return "the constraint refuses the call"
	}
	return "retry the transaction"
}

// run is the execution: a line a statement, with the number of its call, and what it
// reads and writes.
func (f *Finding) run(b *strings.Builder) {
	at := 0
	for _, o := range f.Violation.Schedule {
		at = max(at, len(o.At))
	}
	for _, o := range f.Violation.Schedule {
		number := o.Session[strings.LastIndexByte(o.Session, ' ')+1:]
		head := fmt.Sprintf("  %s  %-*s  ", number, at, o.At)
		folded(b, head, operation(&o))
		for _, row := range o.Rows {
			folded(b, strings.Repeat(" ", min(len(head), most)+2), row)
		}
	}
	for _, l := range f.Violation.Left {
		folded(b, "  left  ", l.Key+" "+l.Value)
	}
}

// operation is a step in words.
func operation(o *report.Operation) string {
	text := o.Statement
	if text == "" {
		text = o.Op
	}
	switch {
	case o.What == report.StepWaits:
		text += ": waits for " + strings.Join(o.For, ", ")
	case o.What == report.StepGoesOn:
		text += " goes on after " + o.After
	case o.What == report.StepPauses:
		text += ": " + o.Point
	case o.What == report.StepResumes:
		text += " goes on"
	}
	switch {
	case o.Error != "":
		text += ": error " + o.Error
	case o.Result != "":
		text += " → " + o.Result
	}
	return text
}

// harmless tells what ran and did no harm, by calls.
func (r *Report) harmless(b *strings.Builder) {
	counts := map[string]int{}
	var order []string
	for _, h := range r.Benign {
		calls := strings.Join(h.Calls, ", ")
		if counts[calls]++; counts[calls] == 1 {
			order = append(order, calls)
		}
	}
	if len(order) == 0 {
		return
	}
	b.WriteString("benign\n")
	for _, calls := range order {
		folded(b, "  "+calls+"  ", count(counts[calls], "structure")+" ran, with outcomes of serial orders alone")
	}
	b.WriteString("\n")
}

// others tells what was not confirmed, by calls and reason.
func (r *Report) others(b *strings.Builder) {
	type group struct{ calls, why string }
	counts := map[group]int{}
	var order []group
	for _, u := range r.Unconfirmed {
		g := group{strings.Join(u.Calls, ", "), u.Why}
		if counts[g] == 0 {
			order = append(order, g)
		}
		counts[g]++
	}
	if len(order) > 0 {
		b.WriteString("not confirmed\n")
		for _, g := range order {
			folded(b, "  "+g.calls+"  ", count(counts[g], "structure")+": "+g.why)
		}
		b.WriteString("\n")
	}
}

// summary counts.
func (r *Report) summary(b *strings.Builder) {
	benign := ""
	if len(r.Benign) > 0 {
		benign = fmt.Sprintf(", %d benign", len(r.Benign))
	}
	ended := 0
	for _, f := range r.Findings {
		if f.Rank == Ended {
			ended++
		}
	}
	deadlocks := ""
	if ended > 0 {
		deadlocks = ", " + count(ended, "deadlock")
	}
	folded(b, r.Iso+"  ", fmt.Sprintf("%s, %s, %d confirmed by %s%s%s, %d not confirmed",
		count(r.Transactions, "transaction"), count(r.Structures, "structure"), r.Confirmed, count(len(r.Findings)-ended, "anomaly"), deadlocks, benign, len(r.Unconfirmed)))
	if r.Transactions == 0 {
		folded(b, "", "No exported function, or method of what one makes, sends a statement that is understood: txmc find follows database/sql, pgx, sqlx, gorm and bun. Name the packages whose functions run the transactions.")
	}
	r.ended(b)
	if r.Skipped > 0 {
		folded(b, "", count(r.Skipped, "structure")+" were not looked at")
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if rest, ok := strings.CutSuffix(what, "y"); ok {
		return fmt.Sprintf("%d %sies", n, rest)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// folded writes a text behind a head; lines that follow are indented as the head is
// long. A head that is too long for that has a line of its own.
func folded(b *strings.Builder, head, text string) {
	indent := len([]rune(head))
	line := head
	if indent > most {
		b.WriteString(strings.TrimRight(head, " ") + "\n")
		indent = behind
		line = strings.Repeat(" ", indent)
	}
	empty := true
	for _, word := range strings.Fields(text) {
		if !empty && len([]rune(line))+1+len([]rune(word)) > width {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line, empty = strings.Repeat(" ", indent), true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}
