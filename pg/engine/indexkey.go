// Keys of indexes, computed by the server: of plain columns, of expressions, and of indexes with a condition.

package engine

import "fmt"

// Fields of ExprContext and ExprState (nodes/execnodes.h).
const (
	contextScanTuple = 4
	exprEvaluate     = 20
)

// mostColumns is the most that an index has (INDEX_MAX_KEYS).
const mostColumns = 32

// entry evaluates what an index has of a row.
func (c *Call) entry(i *Index, row Row) (e entry, err error) {
	x := c.x
	err = x.inside(func(table, _ uint32) (err error) {
		x.withRelation(i.OID, func(rel uint32) { e, err = x.evaluate(i, table, rel, row) })
		return err
	}, i.Table)
	return e, err
}

func (x *Instance) evaluate(i *Index, table, rel uint32, row Row) (e entry, err error) {
	p := x.proc
	slot := uint32(p.Must("MakeSingleTupleTableSlot", uint64(p.Word(table+relAtt)), uint64(x.engine.symbols.virtualSlot)))
	if err := x.fillSlot(slot, x.table(i.Table).Columns, row); err != nil {
		return e, err
	}
	x.form(p.Must("BuildIndexInfo", uint64(rel)), slot, func(at uint32) {
		e = entry{make(Row, len(i.Columns)), true}
		for k := range e.values {
			if p.Byte(at+4*mostColumns+uint32(k)) == 0 {
				e.values[k] = x.datum(&i.columns[k], p.Word(at+uint32(4*k)))
			}
		}
	})
	p.Must("ExecDropSingleTupleTableSlot", uint64(slot))
	return e, nil
}

// form lets the server evaluate what an index has of the row in a slot: values, and behind them which are null. f is
// not called where the row does not satisfy the index's condition.
func (x *Instance) form(info uint64, slot uint32, f func(at uint32)) {
	p := x.proc
	estate := p.Must("CreateExecutorState")
	context := p.Must("MakePerTupleExprContext", estate)
	p.PutWord(uint32(context)+contextScanTuple, slot)
	if x.satisfies(p.Word(uint32(info)+infoPredicate), estate, context) {
		x.onStack(5*mostColumns, func(at uint32) {
			p.Must("FormIndexDatum", info, uint64(slot), estate, uint64(at), uint64(at+4*mostColumns))
			f(at)
		})
	}
	p.Must("FreeExecutorState", estate)
}

// satisfies evaluates the condition of an index.
func (x *Instance) satisfies(condition uint32, estate, context uint64) (ok bool) {
	if condition == 0 {
		return true
	}
	p := x.proc
	state := p.Must("ExecPrepareQual", uint64(condition), estate)
	x.onStack(4, func(null uint32) {
		ok = p.CallSlot(p.Word(uint32(state)+exprEvaluate), true, state, context, uint64(null))&0xff != 0
	})
	return ok
}

// EqualKeys reports whether two keys of an index are equal, by the index's own comparison. Null equals nothing.
func (c *Call) EqualKeys(index OID, a, b Row) (same bool, err error) {
	i, x := c.Index(index), c.x
	if i == nil {
		return false, fmt.Errorf("no index %d", index)
	}
	same = true
	err = x.scratch(func() (err error) {
		x.withRelation(index, func(rel uint32) {
			for k := 0; k < i.Keys && same && err == nil; k++ {
				same = a[k] != nil && b[k] != nil
				if same {
					same, err = x.sameValue(rel, k, &i.columns[k], a[k], b[k])
				}
			}
		})
		return err
	})
	return same, err
}

// KeyTypes are the types of the index's key columns.
func (i *Index) KeyTypes() (types []OID) {
	for _, c := range i.columns[:i.Keys] {
		types = append(types, c.Type)
	}
	return types
}
