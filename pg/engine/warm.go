// Warming the server's caches before a snapshot is taken.

package engine

import (
	"fmt"
	"strings"
)

// Warm lets the server plan statements on all tables, so that what it then knows of them, of their indexes and of
// their columns' operators is in its memory. Nothing is executed. Instances that go back to a snapshot taken
// after it answer the first statements faster.
func (x *Instance) Warm() error {
	tables, err := x.Tables()
	if err != nil {
		return err
	}
	var statements []string
	err = x.Do(func(c *Call) error {
		for _, oid := range tables {
			statements = append(statements, c.Table(oid).samples()...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, sql := range statements {
		if _, err := x.execute("EXPLAIN " + sql); err != nil { // what cannot be planned is no harm
			return err
		}
	}
	return nil
}

// samples are statements on a table as programs send them.
func (r *Relation) samples() []string {
	name := identifier(r.Schema) + "." + identifier(r.Name)
	out := []string{"SELECT count(*) FROM " + name}
	for _, i := range r.Indexes {
		if where := i.condition(r); where != "" {
			out = append(out, fmt.Sprintf("SELECT * FROM %s WHERE %s FOR UPDATE", name, where), fmt.Sprintf("SELECT * FROM %s WHERE %s ORDER BY 1", name, where))
		}
	}
	if key := r.PrimaryKey(); key != nil {
		col := identifier(r.Columns[key.Columns[0]-1].Name)
		out = append(out, fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s RETURNING *", name, col, col, key.condition(r)),
			fmt.Sprintf("DELETE FROM %s WHERE %s RETURNING *", name, key.condition(r)))
	}
	return append(out, fmt.Sprintf("INSERT INTO %s DEFAULT VALUES RETURNING *", name))
}

// condition compares the index's columns with values; it is empty where there is no column to compare.
func (i *Index) condition(r *Relation) string {
	var parts []string
	for _, c := range i.Columns[:i.Keys] {
		if c > 0 {
			col := identifier(r.Columns[c-1].Name)
			parts = append(parts, fmt.Sprintf("%s = (SELECT %s FROM %s.%s LIMIT 1)", col, col, identifier(r.Schema), identifier(r.Name)))
		}
	}
	return strings.Join(parts, " AND ")
}

// identifier is a name in quotes.
func identifier(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
