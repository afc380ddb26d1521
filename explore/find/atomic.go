package find

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
)

// An atomic UPDATE in place of a read and a write: where Go code reads a column, adds to it
// and writes the sum, the UPDATE can add. This is tried where nothing else depends on the
// value read. Then the changed code is imitated: the read finds 0, and the UPDATE adds what
// it is sent.

// sum is a write of a column that a read has found, with something added or subtracted.
type sum struct {
	read, write *structure.Step
	column      *access.Column // of the table
	param       int            // of the write, from 1: the sum
	result      int            // of the read: the column
	other       *source.Value  // what is added
	op          token.Token
	second      bool // what was read is the second operand
}

// atomics are trials with an atomic UPDATE: one for each function.
func (f *finding) atomics(ctx context.Context, p *plan) (list []*trial) {
	for _, write := range p.written() {
		s := f.sumOf(write)
		if s == nil || !s.alone(f.steps[write.Of.Call]) {
			continue
		}
		read, update := s.texts(f.Dialect)
		if update == "" {
			continue
		}
		_, err := f.sql.Analyse(ctx, update)
		if _, also := f.sql.Analyse(ctx, read); err != nil || also != nil {
			continue
		}
		shown, place := strings.Replace(update, s.adds(" +", f.Dialect), s.adds(fmt.Sprintf(" %v", s.op), f.Dialect), 1), fmt.Sprintf("$%d", s.param)
		if f.Dialect == access.MySQL {
			place = fmt.Sprintf("the argument %d", s.param)
		}
		word := fmt.Sprintf("%s: %s with %s = %v", write.At, oneLine(shown), place, s.other)
		if slices.ContainsFunc(list, func(t *trial) bool { return t.words[0] == word }) {
			continue
		}
		t := &trial{kind: "atomic", words: []string{word}}
		if !s.second {
			t.patch = f.patch(p, edit{statement: write.Statement, text: shown})
			if t.patch != "" {
				t.patch = fmt.Sprintf("what %s reads is not needed for it any more\n", s.read.At) + t.patch
			}
		}
		t.program = p.program(append(p.instead(s.read, read), p.instead(write, update)...))
		list = append(list, t)
	}
	return list
}

// written are the updates of the calls of a plan.
func (p *plan) written() (list []*structure.Step) {
	for _, s := range p.structures {
		for _, n := range s.Nodes {
			for _, step := range append(slices.Clip(n.In.Of.Steps), n.Out.Of.Steps...) {
				if !slices.Contains(list, step) && slices.ContainsFunc(step.Accesses, func(a *access.Access) bool { return a.Kind == access.Update }) {
					list = append(list, step)
				}
			}
		}
	}
	return list
}

// sumOf is the sum that an UPDATE writes to the column from which it was read; nil when it
// does not.
func (f *finding) sumOf(write *structure.Step) *sum {
	for _, a := range write.Accesses {
		if a.Kind != access.Update {
			continue
		}
		for c, o := range a.Sets {
			if o.Param == 0 || o.Param > len(write.Args) {
				continue
			}
			s := added(write.Args[o.Param-1])
			if s == nil {
				continue
			}
			s.write, s.param, s.column = write, o.Param, a.Table.Columns[c]
			for _, step := range f.steps[write.Of.Call] {
				if step.Statement == s.read.Statement && s.result < len(step.Results) && step.Results[s.result] != nil && *step.Results[s.result] == (access.Source{Table: a.Table, Column: c}) {
					s.read = step
					return s
				}
			}
		}
	}
	return nil
}

// added is a sum of what a statement has found and something that it has not.
func added(v *source.Value) *sum {
	if v.Op != source.Binary || v.Token != token.ADD && v.Token != token.SUB {
		return nil
	}
	x, y, second := v.Args[0], v.Args[1], false
	if x.Op != source.Result && v.Token == token.ADD {
		x, y = y, x
		second = true
	}
	if x.Op != source.Result || madeOf(y, x.Statement) {
		return nil
	}
	return &sum{read: &structure.Step{Statement: x.Statement}, result: x.Index, other: y, op: v.Token, second: second}
}

// madeOf reports whether a value is made of what a statement has found.
func madeOf(v *source.Value, s *source.Statement) (yes bool) {
	v.Walk(func(x *source.Value) { yes = yes || x.Statement == s && x.Op != source.Failed })
	return yes
}

// alone reports whether nothing but the sum depends on what was read: neither another
// statement, nor what the call returns.
func (s *sum) alone(steps []*structure.Step) bool {
	results := s.write.Of.Call.Takes().Results()
	for i := range results.Len() {
		if types.TypeString(results.At(i).Type(), nil) != "error" {
			return false
		}
	}
	if s.read.Loop || s.write.Loop || len(s.read.Results) != 1 || !slices.ContainsFunc(s.read.Accesses, func(a *access.Access) bool { return a.Exact }) {
		return false
	}
	for _, step := range steps {
		for i, v := range step.Args {
			if (step != s.write || i+1 != s.param) && madeOf(v, s.read.Statement) {
				return false
			}
		}
		for _, g := range step.Guards {
			if madeOf(g.If, s.read.Statement) {
				return false
			}
		}
	}
	return true
}

// texts are the read that finds 0 in every row, and the UPDATE that adds the value that
// it is sent. They are "" where the texts are not understood.
func (s *sum) texts(d access.Dialect) (read, update string) {
	place, quote, zero := fmt.Sprintf(`\$%d\b`, s.param), `"`, "0::"+s.column.Type
	if d == access.MySQL {
		place, quote, zero = `\?`, "`", "0"
	}
	assigns := regexp.MustCompile(fmt.Sprintf("(?i)(\\b%s%s?\\s*=\\s*)%s", regexp.QuoteMeta(s.column.Name), quote, place))
	found := assigns.FindAllStringSubmatchIndex(s.write.SQL, -1)
	if len(found) != 1 || d == access.MySQL && strings.Count(s.write.SQL[:found[0][3]], "?") != s.param-1 {
		return "", ""
	}
	quoted := quote + s.column.Name + quote
	if plain.MatchString(s.column.Name) {
		quoted = s.column.Name
	}
	at := found[0][3] // behind the sign
	update = s.write.SQL[:at] + quoted + s.adds(" +", d) + s.write.SQL[found[0][1]:]
	from := fromWord.FindStringIndex(s.read.SQL)
	if from == nil {
		return "", ""
	}
	return fmt.Sprintf("SELECT %s AS %s %s", zero, quoted, strings.TrimSpace(s.read.SQL[from[0]:])), update
}

// adds is the sum's second half.
func (s *sum) adds(sign string, d access.Dialect) string {
	if d == access.MySQL {
		return sign + " ?"
	}
	return fmt.Sprintf("%s $%d", sign, s.param)
}

var (
	plain    = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)
	fromWord = regexp.MustCompile(`(?i)\bFROM\b`)
)
