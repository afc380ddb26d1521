package brute

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/semantics"
)

// Record is a row: U is the unique value, or the parent.
type Record struct{ U, V int }

// Held is a row with its primary key.
type Held struct {
	ID int
	Record
}

// Row names the content of a row, Key whether there is one, and Unique who has a unique
// value.
func Row(table string, id int) string { return fmt.Sprintf("%s/%d", table, id) }

// Key names whether there is a row.
func Key(table string, id int) string { return fmt.Sprintf("%s/%d key", table, id) }

// Unique names who has a unique value.
func Unique(u int) string { return fmt.Sprintf("p(u)/%d", u) }

// Definition is what a program can observe, by definition: Evaluate says which variables a
// statement reads and writes, and returns what it answers. It numbers the variables and
// values. Value 0 is nil.
type Definition struct {
	Program  Program
	Evaluate func(*Evaluator, Statement) string

	names   map[string]int
	values  map[any]int
	list    []any
	initial map[int]int
}

// NewDefinition defines a program, whose statements evaluate evaluates.
func NewDefinition(p Program, evaluate func(*Evaluator, Statement) string) *Definition {
	d := &Definition{Program: p, Evaluate: evaluate, names: map[string]int{}, values: map[any]int{nil: 0}, list: []any{nil}, initial: map[int]int{}}
	for name, v := range map[string]any{
		"p/1": Record{1, 0}, "p/2": Record{2, 1}, "c/1": Record{1, 0}, "p/1 key": true, "p/2 key": true, "c/1 key": true,
		"p(u)/1": 1, "p(u)/2": 2,
	} {
		d.initial[d.variable(name)] = d.value(v)
	}
	return d
}

func (d *Definition) variable(name string) int {
	if _, ok := d.names[name]; !ok {
		d.names[name] = len(d.names)
	}
	return d.names[name]
}

func (d *Definition) value(v any) int {
	if _, ok := d.values[v]; !ok {
		d.values[v] = len(d.list)
		d.list = append(d.list, v)
	}
	return d.values[v]
}

// write is a write that the open transaction has made.
type write struct {
	name  string
	value any
}

// Evaluator runs a session's transactions.
type Evaluator struct {
	*Definition
	Last int // the value read last

	seen    strings.Builder
	answers []int // to the reads of the running transaction
	steps   []reference.Step
	own     []write
	locked  map[string]any // read by locking reads
}

// asks ends an evaluation for want of an answer.
type asks int

// refused ends a statement by an error.
type refused string

// Refuse ends a statement by an error of a constraint, as clients note it.
func (e *Evaluator) Refuse(code string) { panic(refused(code)) }

// Read reads a variable: the transaction's own write, what it has locked, or the next
// answer.
func (e *Evaluator) Read(name string, lock bool) any {
	if v, ok := e.Written(name); ok {
		return v
	}
	if v, ok := e.locked[name]; ok {
		return v
	}
	x := e.variable(name)
	if len(e.answers) == 0 {
		panic(asks(x))
	}
	v := e.answers[0]
	e.answers = e.answers[1:]
	e.steps = append(e.steps, reference.Step{Var: x, Val: v, Lock: lock})
	if lock {
		e.locked[name] = e.list[v]
	}
	return e.list[v]
}

// Written is the transaction's own last write of a variable.
func (e *Evaluator) Written(name string) (any, bool) {
	for _, w := range slices.Backward(e.own) {
		if w.name == name {
			return w.value, true
		}
	}
	return nil, false
}

// Locked is what a locking read of the transaction has read.
func (e *Evaluator) Locked(name string) (v any, ok bool) {
	v, ok = e.locked[name]
	return v, ok
}

// Write writes a variable.
func (e *Evaluator) Write(name string, v any) { e.own = append(e.own, write{name, v}) }

// Show is the answer of a statement that returns rows.
func (e *Evaluator) Show(rows []Held) string {
	answer := "r"
	for _, h := range rows {
		e.Last = h.V
		answer += fmt.Sprintf("(%d,%d)", h.ID, h.V)
	}
	return answer
}

// transaction runs a transaction with the answers to its reads.
func (e *Evaluator) transaction(tx []Statement, answers []int) (run reference.Run) {
	e.answers, e.steps, e.own, e.locked = answers, nil, nil, map[string]any{}
	run.Status = semantics.Pending
	defer func() {
		run.Steps = e.steps
		if x := recover(); x != nil {
			run.Asks = int(x.(asks))
		}
	}()
	run.Status = e.body(tx)
	if run.Status == semantics.Committed {
		for _, w := range e.own {
			e.steps = append(e.steps, reference.Step{Write: true, Var: e.variable(w.name), Val: e.value(w.value)})
		}
	}
	return run
}

func (e *Evaluator) body(tx []Statement) semantics.Status {
	for _, s := range tx {
		before := len(e.own)
		failed := e.attempt(s)
		switch {
		case failed && !s.Guarded:
			return semantics.Aborted
		case failed || s.Undone:
			e.own = e.own[:before]
		}
	}
	return semantics.Committed
}

// attempt runs a statement and reports whether it fails.
func (e *Evaluator) attempt(s Statement) (failed bool) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case refused:
			e.seen.WriteString(string(why) + " ")
			failed = true
		default:
			panic(why)
		}
	}()
	e.seen.WriteString(e.Evaluate(e, s) + " ")
	return false
}

// replay runs the transactions of a session that have logs.
func (d *Definition) replay(s int, logs []reference.Log) *Evaluator {
	e := &Evaluator{Definition: d}
	for i, l := range logs {
		var answers []int
		for _, step := range l.Steps {
			if !step.Write {
				answers = append(answers, step.Val)
			}
		}
		e.transaction(d.Program[s][i], answers)
	}
	return e
}

// Histories lists the complete histories of a level. It is nil when there are more than
// limit, or when more than work beginnings of histories would have to be looked at. A
// transaction that reads many variables has many beginnings, and few of them may be
// allowed.
func (d *Definition) Histories(level isolation.Level, limit, work int) map[string]*reference.History {
	p := &reference.Program{Sessions: len(d.Program), Final: -1, Initial: func(x int) int { return d.initial[x] },
		Run: func(s int, before []reference.Log, answers []int) reference.Run {
			if len(before) == len(d.Program[s]) {
				return reference.Run{None: true}
			}
			return d.replay(s, before).transaction(d.Program[s][len(before)], answers)
		}}
	histories := p.Histories(limit, func(h *reference.History) bool {
		work--
		return work >= 0 && h.Satisfies(level)
	})
	if work < 0 {
		return nil
	}
	return histories
}

// Outcomes are what the sessions can observe in some histories.
func (d *Definition) Outcomes(histories map[string]*reference.History) map[string]bool {
	set := map[string]bool{}
	for _, h := range histories {
		o := ""
		for s, logs := range h.Sessions {
			o += fmt.Sprintf("%d=%s ", s, d.replay(s, logs).seen.String())
		}
		set[o] = true
	}
	return set
}
