package access

import "slices"

// What foreign keys read and write besides.

// references adds what foreign keys read and write.
func (c *Catalog) references(s *Effect) {
	for _, w := range slices.Clone(s.Accesses) {
		if w.Kind == Insert || w.Kind == Update {
			for _, f := range w.Table.Foreign {
				s.parent(w, f)
			}
		}
		if w.Kind == Delete {
			for _, t := range c.Tables {
				for _, f := range t.Foreign {
					if f.To == w.Table {
						s.children(w, t, f)
					}
				}
			}
		}
	}
}

// parent adds the look at the row that a new row refers to.
func (s *Effect) parent(w *Access, f Reference) {
	bound := map[int]Operand{}
	touched := false
	for i, c := range f.Columns {
		o, set := w.Sets[c]
		touched = touched || set
		if o.Known {
			bound[f.Target[i]] = o
		}
	}
	if touched {
		s.Accesses = append(s.Accesses, &Access{Table: f.To, Kind: Read, Columns: f.Target, Bound: bound, Exact: f.To.exact(bound), Lock: KeyShare, Check: true})
	}
}

// children adds the look at the rows that refer to a deleted row, or what is done to them.
func (s *Effect) children(w *Access, t *Table, f Reference) {
	bound := map[int]Operand{}
	for i, c := range f.Target {
		if o, ok := w.Bound[c]; ok {
			bound[f.Columns[i]] = o
		}
	}
	c := &Access{Table: t, Kind: Read, Columns: f.Columns, Bound: bound, Check: true}
	switch f.Action {
	case 'c':
		c.Kind, c.Columns = Delete, t.all()
	case 'n', 'd':
		c.Kind = Update
	default:
		c.Lock = KeyShare
	}
	s.Accesses = append(s.Accesses, c)
}
