package format

import (
	"fmt"

	"github.com/txmc/txmc/history"
)

// Jepsen's tests of sets: add adds an element, read reads all there are. An element is a
// key, which add writes. Read reads the keys of the elements that it returns. It reads the
// initial value of any other key whose addition stands before it in the file. Where there
// are several sets (jepsen.independent), add has a pair of set and element, and read has a
// pair of set and elements, or only its invocation names the set.

// sets are those of a file.
type sets struct {
	elements map[string][]string // by set, in the order in which they were added
	added    map[string]bool     // by key: whether an addition has ended well, false while none has
	asked    map[string]string   // by process: the set that its read is about
	absent   int                 // reads of elements that were not there
}

// mostAbsent bounds how many reads of absent elements a file has: the number grows with the
// square of the file's size.
const mostAbsent = 1 << 24

func newSets() *sets {
	return &sets{elements: map[string][]string{}, added: map[string]bool{}, asked: map[string]string{}}
}

// add writes an element.
func (r *elle) add(o elleOp) ([]history.Op, error) {
	set, value := "", o.value
	if pair, ok := o.value.([]any); ok && len(pair) == 2 {
		set, value = word(pair[0])+"/", pair[1]
	}
	v, err := scalar(value)
	if err != nil || v.Kind == history.Initial {
		return nil, fmt.Errorf("the operation add has no element (%s): %s", short(o.value), workloads)
	}
	key := r.element(set, value)
	before, known := r.sets.added[key]
	switch {
	case !known:
		r.sets.elements[set] = append(r.sets.elements[set], key)
	case before && o.kind == "ok":
		return nil, fmt.Errorf("the operation add adds %s a second time, as to a counter and not to a set: %s", key, workloads)
	}
	r.sets.added[key] = before || o.kind == "ok"
	return []history.Op{{Kind: history.Write, Key: key, Value: v}}, nil
}

// element is the key of an element.
func (r *elle) element(set string, v any) string {
	name := keyOfEDN(r.s, v)
	if set == "" {
		return name
	}
	return r.s.key([]byte(set + name))
}

// collection returns the elements of a list or a set.
func collection(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case ednSet:
		return v, true
	}
	return nil, false
}

// readSet reads the elements of a set.
func (r *elle) readSet(o elleOp) (ops []history.Op, err error) {
	list, _ := collection(o.value)
	set := r.sets.asked[o.process]
	delete(r.sets.asked, o.process)
	if len(list) == 2 { // a pair, of which the second is the elements, or nothing yet
		inner, isList := collection(list[1])
		if isList || list[1] == nil {
			set, list = word(list[0])+"/", inner
		}
		if !isList && list == nil {
			r.sets.asked[o.process] = set
		}
	}
	if o.kind != "ok" {
		return nil, nil
	}
	there := map[string]bool{}
	for _, e := range list {
		v, err := scalar(e)
		if err != nil {
			return nil, fmt.Errorf("the operation read is not one of a set (%w): %s", err, workloads)
		}
		key := r.element(set, e)
		there[key] = true
		ops = append(ops, history.Op{Kind: history.Read, Key: key, Value: v})
	}
	for _, key := range r.sets.elements[set] {
		if there[key] {
			continue
		}
		if r.sets.absent++; r.sets.absent > mostAbsent {
			return nil, fmt.Errorf("the reads of sets are without more than %d elements that were added, which is too much", mostAbsent)
		}
		ops = append(ops, history.Op{Kind: history.Read, Key: key, Value: history.Value{Kind: history.Initial}})
	}
	return ops, nil
}
