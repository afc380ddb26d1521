package access

import "slices"

// query reads one QUERY of an analysed statement (nodes/parsenodes.h, struct Query). The
// queries inside it are read by themselves.
type query struct {
	*Analyser
	node   *node
	effect *Effect
	tables []*node // the range table
	bound  map[column]Operand
	same   map[column][]column // that are equal in every row
}

// column is a column of an entry of the range table.
type column struct{ entry, number int }

// Values of commandType (nodes/nodes.h).
const (
	cmdSelect = 1
	cmdUpdate = 2
	cmdInsert = 3
	cmdDelete = 4
	cmdMerge  = 5
)

// lowest is FirstLowInvalidHeapAttributeNumber (access/sysattr.h): the sets of columns of
// a permission count from there.
const lowest = -7

func (q *query) read() {
	q.tables = q.node.nodes("rtable")
	q.bound, q.same = map[column]Operand{}, map[column][]column{}
	if tree := q.node.child("jointree"); tree != nil {
		q.from(tree)
	}
	q.spread()
	perms := q.node.nodes("rteperminfos")
	target := q.node.number("resultRelation")
	for i, rte := range q.tables {
		if rte == nil || rte.word("rtekind") != "0" {
			continue
		}
		if on := q.node.child("onConflict"); on != nil && on.number("exclRelIndex") == i+1 {
			continue // the row that was not inserted
		}
		t := q.byID[rte.number("relid")]
		p := rte.number("perminfoindex")
		if t == nil || p == 0 || p > len(perms) {
			continue
		}
		q.table(i+1, t, perms[p-1], i+1 == target)
	}
}

// table notes the accesses to an entry of the range table.
func (q *query) table(entry int, t *Table, perm *node, target bool) {
	command := q.node.number("commandType")
	bound := q.boundOf(entry)
	read := &Access{Table: t, Kind: Read, Columns: t.columns(perm.set("selectedCols")), Bound: bound, Lock: q.lock(entry)}
	read.Exact = t.exact(bound)
	if !target || command == cmdSelect {
		q.add(read)
		return
	}
	for c := range bound {
		if !slices.Contains(read.Columns, c) {
			read.Columns = append(read.Columns, c)
		}
	}
	w := &Access{Table: t, Bound: bound, Exact: read.Exact}
	switch command {
	case cmdInsert:
		w.Kind, w.Columns, w.Sets, w.Bound = Insert, t.all(), q.sets(), nil
		w.Bound = known(w.Sets)
		q.add(w)
		if on := q.node.child("onConflict"); on != nil && on.word("action") == "2" {
			key := map[int]Operand{}
			for _, e := range on.nodes("arbiterElems") {
				if c := e.child("expr"); c != nil && c.name == "VAR" {
					if o := w.Sets[c.number("varattno")-1]; o.Known {
						key[c.number("varattno")-1] = o
					}
				}
			}
			q.add(&Access{Table: t, Kind: Read, Columns: read.Columns, Bound: key, Exact: t.exact(key), Lock: ForUpdate})
			q.add(&Access{Table: t, Kind: Update, Columns: t.columns(perm.set("updatedCols")), Bound: key, Exact: t.exact(key)})
		}
		return
	case cmdDelete:
		w.Kind, w.Columns = Delete, t.all()
	default: // UPDATE and MERGE
		w.Kind, w.Columns, w.Sets = Update, t.columns(perm.set("updatedCols")), q.sets()
	}
	if command == cmdUpdate {
		read.Adds = q.adds(entry, t, w.Columns)
		w.Adds = read.Adds
	}
	read.Lock = ForUpdate // of the newest version
	q.add(read)
	q.add(w)
}

func (q *query) add(a *Access) { q.effect.Accesses = append(q.effect.Accesses, a) }

func known(sets map[int]Operand) map[int]Operand {
	all := map[int]Operand{}
	for c, o := range sets {
		if o.Known {
			all[c] = o
		}
	}
	return all
}

// columns are the indexes of a permission's set of columns.
func (t *Table) columns(set []int) (list []int) {
	for _, n := range set {
		switch c := n + lowest; {
		case c == 0: // the whole row
			return t.all()
		case c > 0 && c <= len(t.Columns):
			list = append(list, c-1)
		}
	}
	return list
}

func (t *Table) all() (list []int) {
	for i, c := range t.Columns {
		if !c.dropped {
			list = append(list, i)
		}
	}
	return list
}

// exact reports whether at most one row has the bound columns.
func (t *Table) exact(bound map[int]Operand) bool {
	return slices.ContainsFunc(t.Unique, func(key []int) bool {
		return len(key) > 0 && !slices.ContainsFunc(key, func(c int) bool { _, ok := bound[c]; return !ok })
	})
}

// lock is how the entry's rows are locked.
func (q *query) lock(entry int) (l Lock) {
	for _, m := range q.node.nodes("rowMarks") {
		if m != nil && m.number("rti") == entry {
			l = max(l, Lock(m.number("strength")))
		}
	}
	return l
}

// from reads the conditions of a FROMEXPR or JOINEXPR that hold in every row.
func (q *query) from(n *node) {
	switch n.name {
	case "FROMEXPR":
		for _, c := range n.nodes("fromlist") {
			if c != nil {
				q.from(c)
			}
		}
	case "JOINEXPR":
		if n.word("jointype") != "0" {
			return // an outer join keeps rows for which its condition does not hold
		}
		for _, side := range []string{"larg", "rarg"} {
			if c := n.child(side); c != nil {
				q.from(c)
			}
		}
	default:
		return
	}
	if c := n.child("quals"); c != nil {
		q.condition(c)
	}
}

// condition notes the equalities of a conjunction.
func (q *query) condition(n *node) {
	switch {
	case n.name == "BOOLEXPR" && n.word("boolop") == "and":
		for _, a := range n.nodes("args") {
			if a != nil {
				q.condition(a)
			}
		}
	case n.name == "OPEXPR" && q.equals[n.number("opno")]:
		args := n.nodes("args")
		if len(args) != 2 || args[0] == nil || args[1] == nil {
			return
		}
		a, aColumn := q.columnOf(args[0])
		b, bColumn := q.columnOf(args[1])
		switch {
		case aColumn && bColumn:
			q.same[a], q.same[b] = append(q.same[a], b), append(q.same[b], a)
		case aColumn:
			q.bind(a, args[1])
		case bColumn:
			q.bind(b, args[0])
		}
	}
}

func (q *query) bind(c column, n *node) {
	if o := operand(n); o.Known {
		q.bound[c] = o
	}
}

// spread binds columns that are equal to bound ones.
func (q *query) spread() {
	var queue []column
	for c := range q.bound {
		queue = append(queue, c)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, c := range q.same[queue[0]] {
			if _, ok := q.bound[c]; !ok {
				q.bound[c] = q.bound[queue[0]]
				queue = append(queue, c)
			}
		}
	}
}

func (q *query) boundOf(entry int) map[int]Operand {
	all := map[int]Operand{}
	for c, o := range q.bound {
		if c.entry == entry && c.number > 0 {
			all[c.number-1] = o
		}
	}
	return all
}

// sets are the columns that an INSERT or UPDATE sets, with what is known of the values.
func (q *query) sets() map[int]Operand {
	all := map[int]Operand{}
	for _, e := range q.node.nodes("targetList") {
		if e == nil || e.word("resjunk") == "true" || e.child("expr") == nil {
			continue
		}
		all[e.number("resno")-1] = operand(e.child("expr"))
	}
	return all
}

// results are the sources of the columns that the statement returns.
func (q *query) results() (list []*Source) {
	q.tables = q.node.nodes("rtable")
	field := "targetList"
	if q.node.number("commandType") != cmdSelect {
		field = "returningList"
	}
	for _, e := range q.node.nodes(field) {
		if e == nil || e.word("resjunk") == "true" {
			continue
		}
		var s *Source
		if n := plain(e.child("expr")); n != nil {
			if c, ok := q.columnOf(n); ok && q.tables[c.entry-1].word("rtekind") == "0" && c.number > 0 {
				if t := q.byID[q.tables[c.entry-1].number("relid")]; t != nil {
					s = &Source{t, c.number - 1}
				}
			}
		}
		list = append(list, s)
	}
	return list
}
