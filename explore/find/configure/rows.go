package configure

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
)

// mostRows bounds the rows of a table.
const mostRows = 12

// Seed is SQL that makes the initial rows, if the rows are not given. Each table that the calls
// touch has rows with the keys that the arguments choose. Sequences begin after 1,000,000,000: so
// the numbers that they give are known as such.
func (c *Config) Seed(v Variant) string {
	var b strings.Builder
	b.WriteString(c.sequences())
	if c.Rows != "" {
		b.WriteString(c.Rows)
		return b.String()
	}
	for _, t := range c.tables() {
		switch {
		case c.onlyInserted(t) && v.Own:
			b.WriteString(c.ownRows(t, v))
		case !c.onlyInserted(t) || v.Filled || c.has(v, t):
			b.WriteString(c.rows(t, v))
		}
	}
	return b.String()
}

func (c *Config) sequences() string {
	var b strings.Builder
	for _, t := range c.catalog.Tables {
		for _, col := range t.Columns {
			if c.catalog.Dialect == access.MySQL {
				if col.Sequence != "" && col.Type != "smallint" {
					fmt.Fprintf(&b, "ALTER TABLE %s AUTO_INCREMENT = 1000000000;\n", c.table(t.Name))
				}
				continue
			}
			if col.Sequence != "" && col.Type != "smallint" {
				fmt.Fprintf(&b, "SELECT setval('%s', 1000000000);\n", strings.ReplaceAll(col.Sequence, "'", "''"))
			}
		}
	}
	return b.String()
}

// tables are the tables that the calls touch, and those to which these refer. A table comes
// after the tables to which it refers.
func (c *Config) tables() (list []*access.Table) {
	seen := map[*access.Table]bool{}
	var visit func(*access.Table)
	visit = func(t *access.Table) {
		if seen[t] {
			return
		}
		seen[t] = true
		for _, f := range t.Foreign {
			visit(f.To)
		}
		list = append(list, t)
	}
	for _, steps := range c.steps {
		for _, s := range steps {
			for _, a := range s.Accesses {
				visit(a.Table)
			}
		}
	}
	return list
}

// onlyInserted reports whether the calls insert rows into a table, so that it may be
// empty before.
func (c *Config) onlyInserted(t *access.Table) (yes bool) {
	for _, steps := range c.steps {
		for _, s := range steps {
			for _, a := range s.Accesses {
				yes = yes || a.Table == t && a.Kind == access.Insert
			}
		}
	}
	return yes
}

// rows are the INSERTs of a table: with each combination of the values that arguments
// and constants choose of the columns by which rows are looked for.
func (c *Config) rows(t *access.Table, v Variant) string {
	columns := c.chosen(t)
	if v.Other || v.Own {
		columns = slices.DeleteFunc(columns, func(col int) bool { return !t.Identifies(col) })
	}
	combinations := [][]string{nil}
	for _, col := range columns {
		var next [][]string
		for _, before := range combinations {
			for _, value := range c.values(domainOf(t, col)) {
				if len(next) < mostRows {
					next = append(next, append(before[:len(before):len(before)], value))
				}
			}
		}
		combinations = next
	}
	var list []map[int]string
	for _, values := range combinations {
		row := map[int]string{}
		for at, col := range columns {
			row[col] = values[at]
		}
		if !slices.ContainsFunc(list, func(other map[int]string) bool { return sameKey(t, row, other) }) {
			list = append(list, row)
		}
	}
	return c.inserts(t, c.more(t, list, v.Rows), v)
}

// more are so many of each row of a table that the calls insert into, where a number or another value of its own tells
// them apart.
func (c *Config) more(t *access.Table, list []map[int]string, rows int) []map[int]string {
	if !c.onlyInserted(t) {
		return list
	}
	own := slices.IndexFunc(t.Key(), func(col int) bool { return domainOf(t, col) == domain{t, col} })
	if len(t.Key()) > 0 && own < 0 {
		return list
	}
	for _, row := range list[:len(list):len(list)] {
		for k := 1; k < rows; k++ {
			row = maps.Clone(row)
			if own >= 0 {
				row[t.Key()[own]] = domain{t, t.Key()[own]}.text(most + 1 + len(list))
			}
			list = append(list, row)
		}
	}
	return list
}

// sameKey reports whether two rows have one key. A column that only the schema fills differs.
func sameKey(t *access.Table, row, other map[int]string) bool {
	return len(t.Key()) > 0 && !slices.ContainsFunc(t.Key(), func(col int) bool {
		text, known := row[col]
		return !known || text != other[col]
	})
}

// inserts are the INSERTs of rows of which some columns are chosen; others are filled.
func (c *Config) inserts(t *access.Table, list []map[int]string, v Variant) string {
	overriding := " OVERRIDING SYSTEM VALUE"
	if c.catalog.Dialect == access.MySQL {
		overriding = ""
	}
	var b strings.Builder
	for n, row := range list {
		names, texts := []string{}, []string{}
		for i, col := range t.Columns {
			if !t.Has(i) {
				continue
			}
			text, given := row[i]
			if !given {
				text, given = c.fill(t, i, n, v)
			}
			if given {
				names, texts = append(names, c.identifier(col.Name)), append(texts, literal(col, text))
			}
		}
		fmt.Fprintf(&b, "INSERT INTO %s (%s)%s VALUES (%s);\n", c.table(t.Name), strings.Join(names, ", "), overriding, strings.Join(texts, ", "))
	}
	return b.String()
}

// chosen are the columns of a table by which rows are looked for, and those of its key.
func (c *Config) chosen(t *access.Table) []int {
	set := map[int]bool{}
	for _, col := range t.Key() {
		set[col] = true
	}
	for _, steps := range c.steps {
		for _, s := range steps {
			for _, a := range s.Accesses {
				if a.Table != t || a.Kind == access.Insert {
					continue
				}
				for col := range a.Bound {
					set[col] = set[col] || t.Identifies(col)
				}
			}
		}
	}
	list := slices.Sorted(maps.Keys(set))
	key := t.Key()
	// Another unique column goes along with the key.
	return slices.DeleteFunc(list, func(col int) bool { return !slices.Contains(key, col) && t.Alone(col) })
}

// values are those that arguments have of a domain; the first one when there are none.
func (c *Config) values(d domain) []string {
	if list := c.assigned(d); len(list) > 0 {
		return list
	}
	return []string{d.text(1 + c.shift)}
}

// assigned are the values that arguments and constants have of a domain.
func (c *Config) assigned(d domain) (list []string) {
	for _, in := range c.instances {
		for _, path := range in.order {
			if in.roles.keys[path] == d && !slices.Contains(list, in.keys[path]) {
				list = append(list, in.keys[path])
			}
		}
	}
	fixed := map[domain][]string{}
	for _, steps := range c.steps {
		constants(steps, fixed)
	}
	for _, text := range fixed[d] {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	slices.Sort(list)
	return list
}

// fill is the text of a column that nothing chooses, in the n-th row; false leaves its
// default.
func (c *Config) fill(t *access.Table, col, n int, v Variant) (string, bool) {
	column := t.Columns[col]
	d := domainOf(t, col)
	switch {
	case t.Alone(col):
		if values := c.values(d); n < len(values) {
			return values[n], true
		}
		return d.text(n + 1 + c.shift), true
	case v.Null && !column.NotNull:
		return "", false
	case d.table != t || d.column != col:
		return c.values(d)[0], true
	case v.Null && base(column.Type) == "boolean":
		return "false", true
	case len(c.guarded().columns[d]) > 0 && v.Marked == 0:
		list := slices.Clip(c.guarded().columns[d])
		for _, text := range c.assigned(d) {
			list = added(list, text, false)
		}
		return list[(n/max(v.Rows, 1)+v.State)%len(list)], true
	case (v.Other || v.Own) && !t.Identifies(col) && len(c.assigned(d)) > 0:
		return d.text(most + 1 + n), true
	case len(c.assigned(d)) > 0:
		list := c.assigned(d)
		return list[n/max(v.Rows, 1)%len(list)], true
	case column.Default && (v.Default || column.Sequence != ""):
		return "", false
	case number(base(column.Type)):
		return fmt.Sprint(v.Column), true
	}
	if column.Default && !strings.HasPrefix(base(column.Type), "char") && base(column.Type) != "text" {
		return "", false
	}
	return d.text(1 + c.shift), true
}

func literal(c *access.Column, text string) string {
	if number(base(c.Type)) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// identifier is a name in quotes.
func (c *Config) identifier(name string) string {
	if c.catalog.Dialect == access.MySQL {
		return "`" + strings.ReplaceAll(name, "`", "``") + "`"
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func (c *Config) table(name string) string {
	schema, rest, ok := strings.Cut(name, ".")
	if !ok {
		return c.identifier(name)
	}
	return c.identifier(schema) + "." + c.identifier(rest)
}
