package check

import "github.com/txmc/txmc/history"

// recorder makes an input, operation by operation. Keys and values are numbered in
// the order in which they come.
type recorder struct {
	in     *input
	values valueTable
	wrote  []int32 // by key: the last transaction that wrote it, plus 1
}

func newRecorder() *recorder {
	return &recorder{in: &input{off: []int32{0}}, values: newValueTable()}
}

// begin begins a transaction. Those of a session come in its order.
func (r *recorder) begin(session int32, fate history.Fate) {
	r.in.session = append(r.in.session, session)
	r.in.fate = append(r.in.fate, fate)
	r.in.off = append(r.in.off, int32(len(r.in.ops)))
}

// add adds an operation to the last transaction: key and value by number, and
// whether the value is the key's initial one.
func (r *recorder) add(key int32, value int64, initial, write bool) {
	in := r.in
	v, isNew := r.values.number(key, value, initial)
	if isNew {
		in.initial = append(in.initial, initial)
	}
	in.keys = max(in.keys, int(key)+1)
	in.ops = append(in.ops, op{key: key, value: v, write: write})
	in.off[len(in.off)-1] = int32(len(in.ops))
	if write {
		if int(key) >= len(r.wrote) {
			r.wrote = append(r.wrote, make([]int32, max(int(key)+1-len(r.wrote), len(r.wrote)/2))...)
		}
		r.wrote[key] = int32(in.txns())
	}
}

// own returns the positions, among its operations, of the last transaction's writes of a
// key.
func (r *recorder) own(key int32) (positions []int32) {
	if int(key) >= len(r.wrote) || int(r.wrote[key]) != r.in.txns() {
		return nil
	}
	for i, o := range r.in.opsOf(int32(r.in.txns() - 1)) {
		if o.write && o.key == key {
			positions = append(positions, int32(i))
		}
	}
	return positions
}

// valueTable numbers the values of keys: a table of numbers, open addressing with
// linear probing, in a third of the memory of a map.
type valueTable struct {
	slots []int32 // number plus 1, or 0
	key   []int32 // by number; -1-key for an initial value
	value []int64
}

func newValueTable() valueTable { return valueTable{slots: make([]int32, 1024)} }

// number returns the number of a value, and whether it is new. All initial values
// of a key are one.
func (t *valueTable) number(key int32, value int64, initial bool) (int32, bool) {
	if initial {
		key, value = -1-key, 0
	}
	i := t.find(key, value)
	if n := t.slots[i]; n != 0 {
		return n - 1, false
	}
	n := int32(len(t.key))
	t.key, t.value = append(t.key, key), append(t.value, value)
	t.slots[i] = n + 1
	if 4*len(t.key) > 3*len(t.slots) {
		t.slots = make([]int32, 2*len(t.slots))
		for n := range t.key {
			t.slots[t.find(t.key[n], t.value[n])] = int32(n) + 1
		}
	}
	return n, true
}

// find returns the slot of a value, or the one where it belongs.
func (t *valueTable) find(key int32, value int64) int {
	h := (uint64(value) + uint64(uint32(key))*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	h ^= h >> 29
	mask := len(t.slots) - 1
	for i := int(h) & mask; ; i = (i + 1) & mask {
		if n := t.slots[i]; n == 0 || t.key[n-1] == key && t.value[n-1] == value {
			return i
		}
	}
}
