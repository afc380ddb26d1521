package find

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// Types of the objects of a report.
const (
	TypeReport  = "find"
	TypeFinding = "finding"
)

// Report is what was found in some packages.
type Report struct {
	Type         string        `json:"type"` // "find"
	Iso          string        `json:"iso"`
	Length       int           `json:"length"`
	Calls        []Call        `json:"calls"`
	Unknown      []Problem     `json:"unknown,omitempty"`
	Schema       *Schema       `json:"schema,omitempty"`
	Left         []load.Left   `json:"left,omitempty"` // packages that are not looked at
	Structures   int           `json:"structures"`
	Ran          bool          `json:"ran"`                   // the structures were run, or none can be
	Skipped      int           `json:"skipped,omitempty"`     // structures at which nobody has looked, as the time was over
	Truncated    bool          `json:"truncated,omitempty"`   // there are more structures than are looked at
	Interrupted  bool          `json:"interrupted,omitempty"` // not all was run, or there is not all advice
	Pairs        bool          `json:"pairs,omitempty"`       // of Interrupted: all structures of two calls were run
	Budget       string        `json:"budget,omitempty"`      // that has ended the search
	Confirmed    int           `json:"confirmed"`             // structures whose statements ran in an anomaly
	Findings     []*Finding    `json:"findings,omitempty"`
	Benign       []*Benign     `json:"benign,omitempty"` // structures that ran, in serializable runs alone
	Unconfirmed  []Unconfirmed `json:"unconfirmed,omitempty"`
	Seconds      float64       `json:"seconds"` // of the analysis, without loading and running
	Transactions int           `json:"transactions"`
}

// Call is a function or method with its transactions.
type Call struct {
	Name         string        `json:"name"`
	At           string        `json:"at"`
	Transactions []Transaction `json:"transactions"`
}

// Transaction is a transaction that was found.
type Transaction struct {
	At         string      `json:"at"`
	Level      string      `json:"level,omitempty"` // that it asks for: rc, rr or ser
	Auto       bool        `json:"auto,omitempty"`
	Statements []Statement `json:"statements"`
}

// Statement is one of its statements.
type Statement struct {
	At   string   `json:"at"`
	SQL  string   `json:"sql"`
	Args []string `json:"args,omitempty"`
	If   []string `json:"if,omitempty"`   // what decides whether it is sent
	Loop bool     `json:"loop,omitempty"` // it may be sent several times
	Seen bool     `json:"seen,omitempty"` // in a run: the source does not tell it, nor when it is sent
}

// Problem is what was not understood.
type Problem struct {
	At   string `json:"at"`
	What string `json:"what"`
}

// Rank says how bad an anomaly is; the worst is first.
type Rank uint8

// Ranks.
const (
	Broken     Rank = iota // what is left is that of no serial order, and breaks an invariant of the application
	DataLost               // what is left is that of no serial order
	Constraint             // so is an error that a constraint of the schema gives
	Hangs                  // a call waits for itself
	Keeps                  // a call keeps a lock that it has tried to give up
	Ended                  // nothing is wrong but that a call has met a deadlock, and is not made again
	Stale                  // only what calls return is
)

// String is the rank in words.
func (r Rank) String() string {
	return [...]string{"invariant broken", "data lost", "constraint", "hang", "lock kept", "deadlock", "stale read"}[r]
}

// MarshalText is String.
func (r Rank) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Finding is an anomaly that was run.
type Finding struct {
	Type       string            `json:"type"` // "finding"
	Rank       Rank              `json:"rank"`
	Calls      []string          `json:"calls"`
	Package    string            `json:"package"` // import path, of the first call
	Invoked    []string          `json:"invoked"` // the calls with their arguments
	Structures []string          `json:"structures"`
	Bug        Bug               `json:"bug"`
	Invariants []string          `json:"invariants,omitempty"` // of the application, that runs of the calls break which are not serializable, and no serial one
	Between    bool              `json:"between,omitempty"`    // transactions of a call: some order of the transactions has the outcome, none of the calls
	Program    string            `json:"program"`              // the Explore function
	Explore    string            `json:"explore,omitempty"`    // the command that runs it again
	Violation  *report.Violation `json:"violation"`
	Advice     []*Advice         `json:"advice,omitempty"`
	Refuted    []Refuted         `json:"refuted,omitempty"` // changes that help by exploration, and not on the server
}

// Refuted is a change with which the anomaly's configuration has an anomaly on a real server, and none by
// exploration.
type Refuted struct {
	Kind   string   `json:"kind"` // that of an Advice
	Change []string `json:"change"`
	Server string   `json:"server"` // such as PostgreSQL 15.18
	Why    string   `json:"why"`    // what happens there, as far as it is known
}

// Advice is a change with which every outcome of the run's configuration is that of a
// serial order. Nothing says so of other configurations.
type Advice struct {
	Kind     string         `json:"kind"` // atomic, unique, lock, share or level
	Change   []string       `json:"change"`
	Patch    string         `json:"patch,omitempty"`  // the change of the source as a unified diff, where it is known
	Outcomes int64          `json:"outcomes"`         // of the exploration with it
	Errors   map[string]int `json:"errors,omitempty"` // SQLSTATEs that some of them meet, and in how many
	// Retries: when calls are made again so often after 40001 and 40P01, all succeed. Outcomes
	// in which one was made again are not compared with serial orders.
	Retries int `json:"retries,omitempty"`
	// ByPlan: it rests on 40001 for the later of two inserts of a key, at SERIALIZABLE. A server may have 23505
	// there, as its plan has it, and the call the outcome of no serial order.
	ByPlan bool `json:"by_plan,omitempty"`
	// Server is what all schedules of the configuration have come to with the change on a real
	// server, in words, where that was asked.
	Server string `json:"server,omitempty"`
}

// Unconfirmed is a structure that no run has shown.
type Unconfirmed struct {
	Calls     []string `json:"calls"`
	Structure string   `json:"structure"`
	Why       string   `json:"why"`
}

// transactions lists what was found.
func (r *Report) transactions(p *source.Program) {
	for _, c := range p.Calls {
		call := Call{Name: c.Name, At: c.At}
		for _, tx := range c.Transactions {
			t := Transaction{At: tx.At, Level: tx.Level, Auto: tx.Auto}
			for _, s := range tx.Statements {
				t.Statements = append(t.Statements, statementOf(s))
			}
			call.Transactions = append(call.Transactions, t)
			r.Transactions++
		}
		r.Calls = append(r.Calls, call)
	}
}

func statementOf(s *source.Statement) Statement {
	out := Statement{At: s.At, SQL: strings.Join(strings.Fields(s.SQL), " "), Loop: s.Loop, Seen: s.Seen}
	for _, a := range s.Args {
		out.Args = append(out.Args, a.String())
	}
	for _, g := range slices.Backward(s.Guards) {
		text := g.If.String()
		if !g.Then {
			text = "not " + text
		}
		if !strings.Contains(text, "loop(-1)") && !strings.HasPrefix(text, "not error of") {
			out.If = append(out.If, text)
		}
	}
	return out
}

func callNames(calls []*source.Call, separator string) string {
	var list []string
	for _, c := range calls {
		list = append(list, c.Name)
	}
	return strings.Join(list, separator)
}

// text is a structure in a line: its statements, and how each depends on the next.
func text(s *structure.Structure) string {
	var b strings.Builder
	for k, d := range s.Dependencies {
		n := s.Nodes[k]
		if n.In != n.Out {
			fmt.Fprintf(&b, "%s … ", n.In.At)
		}
		fmt.Fprintf(&b, "%s %v(%s)→ ", n.Out.At, d.Kind, d.Table.Name)
	}
	return b.String() + s.Nodes[0].In.At
}

func namesOf(s *structure.Structure) (list []string) {
	for _, n := range s.Nodes {
		list = append(list, n.Call().Name)
	}
	return list
}

func (r *Report) unsolved(s *structure.Structure, why string) {
	r.Unconfirmed = append(r.Unconfirmed, Unconfirmed{namesOf(s), text(s), why})
}

// conclude reports what the runs have shown. A structure of several configurations is
// confirmed by one of them.
func (r *Report) conclude(plans []*plan, harmless map[*structure.Structure]*Benign, ran bool) {
	r.Ran = ran
	shown := map[*structure.Structure]bool{}
	for _, p := range plans {
		if p.found != nil {
			p.found.Package = p.config.Calls[0].Package
			if p.found.Rank == Hangs && p.first != nil {
				p.found.Bug = bug(p.first)
			}
			r.Findings = append(r.Findings, p.found)
		}
		for _, s := range p.structures {
			if p.shown[s] {
				if len(p.found.Structures) == 0 {
					p.found.Bug = bug(s)
				}
				p.found.Structures = append(p.found.Structures, text(s))
				shown[s] = !s.Deadlock
			}
		}
	}
	maps.DeleteFunc(shown, func(_ *structure.Structure, counts bool) bool { return !counts })
	r.Confirmed = len(shown)
	for _, p := range plans {
		if p.ends {
			continue
		}
		for _, s := range p.structures {
			switch {
			case shown[s]:
				continue // it is told once
			case harmless[s] != nil:
				r.Benign = append(r.Benign, harmless[s])
			default:
				r.unsolved(s, p.missed())
			}
			shown[s] = true
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b *Finding) int {
		return cmp.Or(int(a.Rank)-int(b.Rank), cmp.Compare(len(a.between()), len(b.between())))
	})
}

// mostly reports whether half of the structures that were to be run were, but for those that no arguments make.
func (r *Report) mostly() bool {
	ran, not := r.Confirmed+len(r.Benign), 0
	for _, u := range r.Unconfirmed {
		switch {
		case u.Why == noAnomaly || strings.HasPrefix(u.Why, "the runs show another"):
			ran++
		case !strings.HasPrefix(u.Why, "no arguments make"):
			not++
		}
	}
	return not <= ran
}

// missed is why a structure was not confirmed.
func (p *plan) missed() string {
	switch {
	case p.found != nil:
		return "the runs show another anomaly of these calls, not this one"
	case p.why == "":
		return "it was not run"
	}
	return p.why
}

// rankOf ranks a violation.
func rankOf(v *report.Violation) Rank {
	left := failed(v, states.NotLeft, states.NotLeftWhole)
	broken := slices.ContainsFunc(v.Schedule, func(o report.Operation) bool { return refused(o.Error) })
	switch {
	case broken:
		return Constraint
	case slices.ContainsFunc(v.Failures, func(f report.Failure) bool { return f.Kind == "assertion" && endedBy(f.Message) }):
		return Ended
	case left:
		return DataLost
	case failedBy(v, "hang"):
		return Hangs
	case failedBy(v, "kept"):
		return Keeps
	}
	return Stale
}

// between reports whether some order of the transactions has the outcome of a violation, and
// none of the calls.
func between(v *report.Violation) bool { return failed(v, states.NotLeftWhole, states.NotSeenWhole) }

// failed reports whether a violation has one of some messages.
func failed(v *report.Violation, messages ...string) bool {
	return slices.ContainsFunc(v.Failures, func(f report.Failure) bool { return slices.Contains(messages, f.Message) })
}

// refused reports whether an error is that of a constraint: of class 23, or one of MySQL's.
func refused(text string) bool {
	code, _, _ := strings.Cut(text, " ")
	return strings.HasPrefix(text, "23") || slices.Contains([]string{"1048", "1062", "1264", "1690", "1216", "1217", "1451", "1452", "3819", "4025"}, strings.Trim(code, ":!"))
}

// invoked are the calls with what a program gives them; makers make what leads to the database.
func (p *plan) invoked(program string, makers []*types.Func) (list []string) {
	n := slices.IndexFunc(p.programs, func(g generate.Program) bool { return g.Name == program })
	if n < 0 {
		return nil
	}
	c, v := p.config, p.programs[n].Variant
	for i, call := range c.Calls {
		args, err := c.Arguments(i, v, func(p *types.Package) string { return p.Name() },
			func(t types.Type) (string, bool) { return "db", generate.Leads(t, makers) })
		if err != nil {
			continue
		}
		args = slices.DeleteFunc(args, func(a string) bool { return a == "context.Background()" })
		for k, a := range args { // of a struct without a name the values
			if _, values, ok := strings.Cut(a, "}{"); ok && strings.HasPrefix(a, "struct{") {
				args[k] = "{" + values
			}
		}
		list = append(list, fmt.Sprintf("%s(%s)", call.Name, strings.Join(args, ", ")))
	}
	return list
}
