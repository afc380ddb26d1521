package report_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/semantics"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "seed of the random programs; 0 means one from the clock")
	countFlag = flag.Int("programs", 25, "number of random programs")
)

// random is a program of a few sessions that never holds.
func random(seed uint64) func(*program.Program) {
	return func(p *program.Program) {
		r := rand.New(rand.NewPCG(seed, 0))
		keys := []string{"x", "y/1"}
		for i := range 2 + r.IntN(2) {
			plan := make([][]int, 1+r.IntN(2))
			for j := range plan {
				for range 1 + r.IntN(3) {
					plan[j] = append(plan[j], r.IntN(11))
				}
			}
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				for j, ops := range plan {
					seen := 10*i + j
					s.Txn(fmt.Sprint("t", j), func(tx *program.Tx) error {
						for _, op := range ops {
							key := keys[op%2]
							switch {
							case op < 6:
								if n, ok := tx.Read(key).(int); ok {
									seen += n
								}
							case op < 10:
								tx.Write(key, seen)
							case seen%2 == 0:
								return fmt.Errorf("even: %d", seen)
							}
						}
						return nil
					})
				}
			})
		}
		p.Final("never", func(tx *program.Tx) error { tx.Read("x"); return fmt.Errorf("as always") })
	}
}

// What is printed is the history. Every operation stands once, in the column of its
// session, with its value and where the value is from. The order extends so and wr. The
// marks, the cycle, the anomaly and the levels are those of the definitions.
func TestPrinted(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	} else {
		*countFlag = 1
	}
	cycles, marks, misses := 0, 0, 0 // misses are reads that miss something
	enough := func() bool { return *seedFlag != 0 || min(cycles, marks, misses) > 0 }
	for range deadlinetest.Until(t, *countFlag, enough) {
		for _, l := range isolation.Levels() {
			src, all, _ := explored(t, random(seed), dpor.Options{Level: l, All: true, Scope: dpor.Scope{MaxHistories: 12}, Workers: 1})
			for _, f := range all {
				v := src.Violation(report.Case(*f))
				text := (&report.Text{}).Violation(v)
				p := &printed{client: src.Names.(*program.Client), h: f.History, names: shortNames(src.Names.(*program.Client), f.History)}
				err := p.parse(text)
				if err == nil {
					err = p.check(v)
				}
				if err != nil {
					t.Fatalf("-seed=%d at %v: %v\n%s", seed, l, err, text)
				}
				cycles, misses = cycles+min(len(p.cycle), 1), misses+strings.Count(text, ", not ")
				if p.mark >= 0 {
					marks++
				}
			}
		}
		seed++
	}
}

// shortNames calls a transaction by its session and, where that has several, its
// number.
func shortNames(c *program.Client, h *semantics.History) []string {
	count := map[int]int{}
	for _, t := range h.Txns[1:] {
		count[t.Session]++
	}
	names := []string{"init"}
	for _, t := range h.Txns[1:] {
		name := c.SessionName(t.Session)
		if count[t.Session] > 1 {
			name = fmt.Sprintf("%s/%d", name, t.Index+1)
		}
		names = append(names, name)
	}
	return names
}

// printed is a report that has been read again.
type printed struct {
	client *program.Client
	h      *semantics.History
	names  []string // of transactions
	rows   [][2]string
	mark   int // index of the row behind the mark, -1 for none
	said   map[string]string
	cycle  []string
}

var (
	sourceLine = regexp.MustCompile(`^  printed_test\.go:\d+`)
	labelled   = regexp.MustCompile(`^  (after|anomaly|why|cycle|levels|at ser|terms) +(\S.*)$`)
	failure    = "  final \"never\" failed "
)

func (p *printed) parse(text string) error {
	p.mark, p.said = -1, map[string]string{}
	starts := map[int]string{}
	final, last := false, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		runes := []rune(line)
		words := strings.Fields(line)
		if len(runes) > 80 {
			return fmt.Errorf("%d columns: %s", len(runes), line)
		}
		switch m := labelled.FindStringSubmatch(line); {
		case len(words) == 0 || words[0] == "init":
		case strings.HasPrefix(line, failure):
			p.said["failed"] = line
		case m != nil:
			last = m[1]
			p.said[last] = m[2]
		case last != "": // a paragraph goes on
			p.said[last] += " " + strings.TrimSpace(line)
		case len(starts) == 0:
			for i, w := range words {
				if w != fmt.Sprint("s", i) {
					return fmt.Errorf("not the head of the table: %s", line)
				}
				starts[len([]rune(line[:strings.Index(line, w)]))] = w
			}
		case strings.Contains(line, "no serial order explains what follows"):
			if p.mark >= 0 {
				return fmt.Errorf("marked twice")
			}
			p.mark = len(p.rows)
		case strings.TrimSpace(line) == "final, after all sessions":
			final = true
		default:
			cell := []rune(sourceLine.ReplaceAllStringFunc(line, func(s string) string { return strings.Repeat(" ", len(s)) }))
			at := slices.IndexFunc(cell, func(r rune) bool { return r != ' ' })
			session, ok := starts[at]
			if !ok {
				return fmt.Errorf("in no column: %s", line)
			}
			if final {
				session = "final"
			}
			p.rows = append(p.rows, [2]string{session, string(cell[at:])})
		}
	}
	return p.parseCycle()
}

var arrow = regexp.MustCompile(`^ ?─(so|wr|ww|rw)( [xy/1]+)?→ (\S+)`)

// parseCycle reads "a ─rw x→ b ─so→ a" as "rw a b x" and "so b a".
func (p *printed) parseCycle() error {
	rest, ok := p.said["cycle"]
	if !ok {
		return nil
	}
	at, rest, _ := strings.Cut(rest, " ")
	first := at
	for rest != "" {
		m := arrow.FindStringSubmatch(rest)
		if m == nil {
			return fmt.Errorf("not a cycle: %s", p.said["cycle"])
		}
		p.cycle = append(p.cycle, strings.TrimSpace(strings.Join([]string{m[1], at, m[3], strings.TrimSpace(m[2])}, " ")))
		at, rest = m[3], rest[len(m[0]):]
	}
	if at != first {
		return fmt.Errorf("the cycle is not closed: %s", p.said["cycle"])
	}
	return nil
}

func (p *printed) check(v *report.Violation) error {
	if err := p.checkRows(); err != nil {
		return err
	}
	if err := p.checkCycle(v); err != nil {
		return err
	}
	var allowed, forbidden []string
	for _, l := range isolation.Levels() {
		if isolation.Satisfies(p.h, l) {
			allowed = append(allowed, l.String())
		} else {
			forbidden = append(forbidden, l.String())
		}
	}
	levels := "allowed at " + strings.Join(allowed, ", ") + "; forbidden at " + strings.Join(forbidden, ", ")
	if len(forbidden) == 0 {
		levels = "allowed at every level: isolation is not the cause, this history is serializable"
	}
	if p.said["levels"] != levels {
		return fmt.Errorf("levels %q, want %q", p.said["levels"], levels)
	}
	if want := anomaly.Explain(p.h).Anomaly.Title(); p.said["anomaly"] != want {
		return fmt.Errorf("anomaly %q, want %q", p.said["anomaly"], want)
	}
	if !strings.HasSuffix(p.said["failed"], ": as always") {
		return fmt.Errorf("the failure is %q", p.said["failed"])
	}
	return nil
}

// checkRows tells the history again, in the order of the rows.
func (p *printed) checkRows() error {
	next := map[string]int{} // transaction of a session
	done := map[int]int{}    // operations of a transaction, begin and end included
	latest := map[behaviour.VarID]int{}
	var steps []anomaly.Step
	for i, row := range p.rows {
		t := slices.IndexFunc(p.h.Txns, func(t semantics.Txn) bool {
			return t.Session >= 0 && p.client.SessionName(t.Session) == row[0] && t.Index == next[row[0]]
		})
		if t <= 0 {
			return fmt.Errorf("row %d: session %s has no more transactions", i+1, row[0])
		}
		if t > 0 && p.h.Txns[t].Session == p.h.Final && len(next) < p.h.Sessions-1 {
			return fmt.Errorf("row %d: the final comes before others", i+1)
		}
		want, step, err := p.operation(t, done[t], latest)
		if err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
		if row[1] != want {
			return fmt.Errorf("row %d is %q, want %q", i+1, row[1], want)
		}
		steps = append(steps, step)
		done[t]++
		if step.Op == anomaly.End {
			next[row[0]]++
		}
	}
	if n := len(p.h.Txns) - 1; len(done) != n || len(steps) != 2*n+p.events() {
		return fmt.Errorf("%d rows of %d transactions, want %d of %d", len(steps), len(done), 2*n+p.events(), n)
	}
	if leaves := firstNotSerial(p.h, steps); p.mark != leaves {
		return fmt.Errorf("the mark stands before row %d, want %d", p.mark+1, leaves+1)
	}
	return nil
}

func (p *printed) events() (n int) {
	for _, t := range p.h.Txns[1:] {
		n += len(t.Events)
	}
	return n
}

// operation is what the row of a transaction's n-th operation must say, where
// latest are those that have written last.
func (p *printed) operation(t, n int, latest map[behaviour.VarID]int) (string, anomaly.Step, error) {
	txn := &p.h.Txns[t]
	switch {
	case n == 0:
		title := ""
		if strings.Contains(p.names[t], "/") {
			title = p.names[t] + " "
		}
		if txn.Session == p.h.Final {
			return "begin never", anomaly.Step{Txn: t, Op: anomaly.Begin}, nil
		}
		return fmt.Sprintf("begin %st%d", title, txn.Index), anomaly.Step{Txn: t, Op: anomaly.Begin}, nil
	case n > len(txn.Events):
		for _, w := range semantics.LastWrites(txn) {
			if txn.Status == semantics.Committed {
				latest[w.Var] = t
			}
		}
		end := "commit"
		if txn.Session == p.h.Final {
			end = "abort: as always"
		} else if txn.Status == semantics.Aborted {
			end = "abort: even: " + fmt.Sprint(p.seen(t))
		}
		return end, anomaly.Step{Txn: t, Op: anomaly.End}, nil
	}
	e := txn.Events[n-1]
	text := fmt.Sprintf("%s = %s", p.client.Key(e.Var), p.client.Format(e.Val))
	step := anomaly.Step{Txn: t, Op: anomaly.Access, Event: n - 1}
	switch {
	case e.Kind == semantics.Write:
		return "write " + text, step, nil
	case e.From == semantics.Own:
		return "read  " + text + " ← own write", step, nil
	}
	text = "read  " + text + " ← " + p.names[e.From]
	if e.From > 0 && !slices.ContainsFunc(semantics.LastWrites(&p.h.Txns[e.From]), func(w behaviour.Write) bool { return w.Var == e.Var && w.Val == e.Val }) {
		return "", step, fmt.Errorf("%s has not written what is read", p.names[e.From])
	}
	if u := latest[e.Var]; u != e.From {
		text += ", not " + p.names[u]
	}
	return text, step, nil
}

// seen is what an aborted transaction of the random program has added up.
func (p *printed) seen(t int) int {
	txn := &p.h.Txns[t]
	sum := 10*txn.Session + txn.Index
	for _, e := range txn.Events {
		if n, ok := p.client.Value(e.Val).(int); ok && e.Kind == semantics.Read {
			sum += n
		}
	}
	return sum
}
