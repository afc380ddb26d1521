package access

import (
	"context"
	"errors"
	"slices"

	"github.com/txmc/txmc/explore/find/parsed"
	"github.com/txmc/txmc/explore/schema"
	"github.com/txmc/txmc/program/rows"
)

// Outside analyses statements by a parser that is no part of this module.
type Outside struct {
	*Catalog
	ask func(context.Context, parsed.Question) (*parsed.Answer, error)
}

// NewOutside makes an analyser for a schema in a dialect.
func NewOutside(ctx context.Context, d Dialect, schema *schema.Settling, ask func(context.Context, parsed.Question) (*parsed.Answer, error)) (*Outside, error) {
	o := &Outside{ask: ask}
	var q parsed.Question
	for _, s := range schema.Scripts {
		q.Schema = append(q.Schema, parsed.Script{Name: s.Name, Text: s.Text})
	}
	answer, err := o.answer(ctx, q)
	if err != nil {
		return nil, err
	}
	for i, s := range answer.Settled {
		schema.Scripts[i].Text = s.Text
	}
	for _, why := range answer.Left {
		schema.Left = append(schema.Left, rows.Failed{Err: errors.New(why)})
	}
	o.Catalog = catalogOf(d, answer.Tables)
	return o, nil
}

// answer asks, and makes an error of what the answer says is wrong.
func (o *Outside) answer(ctx context.Context, q parsed.Question) (*parsed.Answer, error) {
	answer, err := o.ask(ctx, q)
	if err == nil && answer.Error != "" {
		err = errors.New(answer.Error)
	}
	return answer, err
}

// catalogOf is the catalog of tables that a parser tells of.
func catalogOf(d Dialect, tables []parsed.Table) *Catalog {
	c := &Catalog{Dialect: d, byID: map[int]*Table{}}
	for i, t := range tables {
		table := &Table{Name: t.Name, Unique: t.Unique, Triggers: t.Triggers, id: i, Folds: d == MySQL}
		for _, col := range t.Columns {
			column := &Column{Name: col.Name, Type: col.Type, NotNull: col.NotNull, Default: col.Default || col.Counts, Labels: col.Labels}
			if col.Counts {
				column.Sequence = t.Name
			}
			table.Columns = append(table.Columns, column)
		}
		c.Tables, c.byID[i] = append(c.Tables, table), table
	}
	for i, t := range tables {
		for _, f := range t.Foreign {
			c.Tables[i].Foreign = append(c.Tables[i].Foreign, Reference{f.Columns, c.Tables[f.To], f.Target, f.Action[0]})
		}
	}
	return c
}

// Analyse says what a statement does.
func (o *Outside) Analyse(ctx context.Context, sql string) (*Effect, error) {
	answer, err := o.answer(ctx, parsed.Question{Statement: sql})
	if err != nil {
		return nil, err
	}
	e := &Effect{}
	for _, a := range answer.Accesses {
		e.Accesses = append(e.Accesses, o.access(a))
	}
	for _, s := range answer.Results {
		var source *Source
		if s != nil {
			source = &Source{o.Tables[s.Table], s.Column}
		}
		e.Results = append(e.Results, source)
	}
	o.references(e)
	return e, nil
}

// access is an access of the parser's.
func (o *Outside) access(a parsed.Access) *Access {
	t := o.Tables[a.Table]
	out := &Access{Table: t, Columns: a.Columns, Bound: operands(a.Bound), Sets: operands(a.Sets),
		Kind: Kind(slices.Index([]string{parsed.Read, parsed.Insert, parsed.Update, parsed.Delete}, a.Kind))}
	switch a.Lock {
	case parsed.Share:
		out.Lock = Share
	case parsed.Exclusive:
		out.Lock = ForUpdate
	}
	if out.Kind == Insert || out.Kind == Delete {
		out.Columns = t.all()
	}
	if out.Kind == Insert {
		out.Bound = known(out.Sets)
	}
	out.Exact = out.Kind != Insert && t.exact(out.Bound)
	for _, x := range a.Adds {
		if out.addends == nil {
			out.addends = map[int][]int{}
		}
		out.Adds, out.addends[x.Column] = append(out.Adds, x.Column), x.Params
	}
	return out
}

func operands(all map[int]parsed.Operand) map[int]Operand {
	out := map[int]Operand{}
	for c, o := range all {
		out[c] = Operand{Param: o.Param, Const: o.Const, Known: o.Known()}
	}
	return out
}

// Try reports whether SQL that makes rows runs; nothing of it stays.
func (o *Outside) Try(ctx context.Context, script string) error {
	answer, err := o.ask(ctx, parsed.Question{Rows: script})
	if err == nil && answer.Error != "" {
		err = &misfit{answer.Error}
	}
	return err
}

// misfit says that rows do not fit the schema.
type misfit struct{ why string }

func (e *misfit) Error() string { return "the rows do not fit the schema: " + e.why }
