package find

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
	"github.com/txmc/txmc/isolation"
)

// These changes are tried. Reads are locked, from one statement to all and from weak to
// strong. An UPDATE computes in the database in place of a read and a write. A unique
// index is added. Transactions get other levels, from one call to all.

// changes are the tracks of trials for the anomaly of a plan.
func (f *finding) changes(ctx context.Context, p *plan) (tracks [][]*trial) {
	exclusive, share := []string{"FOR NO KEY UPDATE", "FOR UPDATE"}, "FOR SHARE"
	if f.Dialect == access.MySQL {
		exclusive, share = []string{"FOR UPDATE"}, "LOCK IN SHARE MODE" // which MariaDB has too
	}
	list := [][]*trial{f.atomics(ctx, p), f.uniques(ctx, p)}
	if !p.found.Between { // else locks are gone before, and so are levels
		list = append(list, f.locks(ctx, p, "lock", p.before(), exclusive...), f.locks(ctx, p, "share", nil, share), f.levels(p))
	}
	for _, track := range list {
		if len(track) > 0 {
			tracks = append(tracks, track)
		}
	}
	return tracks
}

// program is the one that has shown the anomaly of a plan, with changes.
func (p *plan) program(changes []generate.Change) generate.Program {
	i := slices.IndexFunc(p.programs, func(g generate.Program) bool { return g.Name == p.found.Program })
	program := p.programs[i]
	program.Changes = changes
	return program
}

// lock is a read that can be locked.
type lock struct {
	step *structure.Step
	with string
}

// overtaken are the reads that a write may overtake in the structures of a plan.
func (p *plan) overtaken() (list []*structure.Step) {
	for _, s := range p.structures {
		for _, d := range s.Dependencies {
			if d.Kind == structure.RW && (d.Against || d.From.Of.InnoDB && !d.Locks) && !slices.Contains(list, d.From) {
				list = append(list, d.From)
			}
		}
	}
	return list
}

// before are reads of a row by its key, such as of the row to which inserted rows refer. In the
// transaction such a read comes before a read that is overtaken.
func (p *plan) before() (list []*structure.Step) {
	for _, overtaken := range p.overtaken() {
		for _, s := range overtaken.Of.Steps {
			exact := slices.ContainsFunc(s.Accesses, func(a *access.Access) bool { return a.Exact })
			if s.Number < overtaken.Number && exact && !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
	}
	return list
}

// locks are trials that lock reads, with the weakest clause first. They lock one of the reads
// that are overtaken in the structures, then all of these, then one of the reads of before,
// if it is given.
func (f *finding) locks(ctx context.Context, p *plan, kind string, before []*structure.Step, clauses ...string) (list []*trial) {
	for _, clause := range clauses {
		all := f.lockable(ctx, p.overtaken(), clause)
		sets := single(all)
		if len(all) > 1 {
			sets = append(sets, all)
		}
		others := slices.DeleteFunc(f.lockable(ctx, before, clause), func(l lock) bool { return l.in(all) })
		for _, set := range append(sets, single(others)...) {
			list = append(list, f.locked(p, kind, clause, set))
		}
	}
	return list
}

// lockable are reads that a clause can lock, each place once.
func (f *finding) lockable(ctx context.Context, steps []*structure.Step, clause string) (list []lock) {
	for _, step := range steps {
		l := lock{step: step}
		if with, ok := f.locking(ctx, step, clause); ok && !l.in(list) {
			list = append(list, lock{step, with})
		}
	}
	return list
}

// in reports whether the read, or another one in its place, is among some.
func (l lock) in(list []lock) bool {
	return slices.ContainsFunc(list, func(o lock) bool { return samePlace(o.step.Statement, l.step.Statement) })
}

// single are sets of one each.
func single(all []lock) (sets [][]lock) {
	for _, l := range all {
		sets = append(sets, []lock{l})
	}
	return sets
}

// locked is a trial that locks some reads. All calls of the configuration that send one in its place lock.
func (f *finding) locked(p *plan, kind, clause string, set []lock) *trial {
	t := &trial{kind: kind}
	var changes []generate.Change
	var edits []edit
	for _, l := range set {
		if word := fmt.Sprintf("%s: %s", l.step.At, oneLine(l.with)); !slices.Contains(t.words, word) {
			t.words = append(t.words, word)
			edits = append(edits, edit{statement: l.step.Statement, suffix: " " + clause})
		}
		for i, call := range p.config.Calls {
			if sends(call, l.step.Statement) {
				changes = append(changes, generate.Change{Call: i, Statement: l.step.SQL, With: l.with})
			}
		}
	}
	t.patch = f.patch(p, edits...)
	t.program = p.program(changes)
	return t
}

// samePlace reports whether two statements are sent by one call in the source, with one text: a change of it
// changes both.
func samePlace(a, b *source.Statement) bool {
	return a == b || a.Pos.IsValid() && a.Pos == b.Pos && a.SQL == b.SQL
}

// sends reports whether a call sends a statement, or another one from its place.
func sends(call *source.Call, s *source.Statement) bool {
	return slices.ContainsFunc(call.Transactions, func(tx *source.Transaction) bool {
		return slices.ContainsFunc(tx.Statements, func(other *source.Statement) bool { return samePlace(other, s) })
	})
}

// instead are changes that send another text in place of a statement's.
func (p *plan) instead(s *structure.Step, with string) (list []generate.Change) {
	for i, call := range p.config.Calls {
		if call == s.Of.Call {
			list = append(list, generate.Change{Call: i, Statement: s.SQL, With: with})
		}
	}
	return list
}

// locking is a read with a clause that locks; false where the statement cannot have it.
func (f *finding) locking(ctx context.Context, s *structure.Step, clause string) (string, bool) {
	for _, a := range s.Accesses {
		if a.Kind != access.Read || a.Lock != access.NoLock {
			return "", false
		}
	}
	with := strings.TrimRight(strings.TrimSpace(s.SQL), ";") + " " + clause
	_, err := f.sql.Analyse(ctx, with)
	return with, err == nil
}

// levels are trials that give transactions stronger levels: those of one function, then
// all, at REPEATABLE READ and at SERIALIZABLE.
func (f *finding) levels(p *plan) (list []*trial) {
	var names []string
	for _, c := range p.config.Calls {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	add := func(level string, of ...string) {
		t := &trial{kind: "level", serial: f.Dialect == access.PostgreSQL && level == "serializable"}
		var changes []generate.Change
		for i, c := range p.config.Calls {
			if slices.Contains(of, c.Name) {
				changes = append(changes, generate.Change{Call: i, Level: level})
			}
		}
		for _, name := range of {
			t.words = append(t.words, fmt.Sprintf("%s at %s", name, strings.ToUpper(level)))
		}
		t.patch = f.levelPatch(p, of, level)
		t.program = p.program(changes)
		list = append(list, t)
	}
	for _, level := range f.stronger() {
		if len(names) > 1 && (level == "repeatable read" || f.Dialect == access.MySQL) {
			for _, name := range names {
				add(level, name)
			}
		}
		add(level, names...)
	}
	return list
}

// stronger are the levels that are stronger than that of transactions which ask for none.
func (f *finding) stronger() []string {
	if f.Dialect == access.MySQL && f.Level != isolation.InnoRC {
		return []string{"serializable"}
	}
	return []string{"repeatable read", "serializable"}
}

// uniques are trials with a unique index. A read that is overtaken looks for rows by some
// columns, and a call inserts such rows: the index is on these columns. The index refuses
// what a check of the code finds in a serial order: that the errors differ does not count.
func (f *finding) uniques(ctx context.Context, p *plan) (list []*trial) {
	var tried []string
	for _, s := range p.structures {
		for _, d := range s.Dependencies {
			columns := phantom(d)
			if d.Kind != structure.RW || len(columns) == 0 || counted(d) {
				continue
			}
			index := f.index(d.Table, columns)
			if slices.Contains(tried, index) {
				continue
			}
			tried = append(tried, index)
			t := &trial{kind: "unique", words: []string{index}, patch: "in the schema:\n+" + index + ";\n"}
			t.program = p.program([]generate.Change{{Schema: index}})
			t.program.Refuses = true
			if f.sql.Try(ctx, index+";"+t.program.Config.Seed(t.program.Variant)) == nil {
				list = append(list, t)
			}
		}
	}
	return list
}

// index is a unique index on columns of a table.
func (f *finding) index(t *access.Table, columns []string) string {
	if f.Dialect == access.MySQL { // where an index has a name
		return strings.ReplaceAll(fmt.Sprintf("CREATE UNIQUE INDEX %s_once ON %[1]s (%s)", t.Name, strings.Join(columns, ", ")), `"`, "`")
	}
	return fmt.Sprintf("CREATE UNIQUE INDEX ON %s (%s)", t.Name, strings.Join(columns, ", "))
}

// counted reports whether the insertion depends on a comparison of what the read has found
// with something that is no constant: then a row may be allowed to have its like.
func counted(d *structure.Dependency) (yes bool) {
	for _, g := range d.To.Guards {
		if madeOf(g.If, d.From.Statement) {
			g.If.Walk(func(v *source.Value) {
				yes = yes || v.Op == source.Param || v.Op == source.Unknown || v.Op == source.Result && v.Statement != d.From.Statement
			})
		}
	}
	return yes
}

// phantom are the columns of a read that an insertion sets. There are none where the rows need
// not be alike, and where an index has these columns already.
func phantom(d *structure.Dependency) (columns []string) {
	for _, a := range d.From.Accesses {
		if a.Table != d.Table || a.Kind != access.Read || a.Exact || a.Check {
			continue
		}
		for _, b := range d.To.Accesses {
			if b.Table != d.Table || b.Kind != access.Insert {
				continue
			}
			for c := range a.Table.Columns {
				if _, bound := a.Bound[c]; bound {
					columns = append(columns, `"`+a.Table.Columns[c].Name+`"`)
				}
			}
			return columns
		}
	}
	return nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
