package format

import (
	"fmt"

	"github.com/txmc/txmc/history"
)

// The value of a Jepsen operation is a list of micro-operations: append, r of a list,
// w, r, insert, delete, and rp, which reads what a predicate selects. Other tests have
// registers, which operations read, write and cas, one or, with jepsen.independent, one for each key, or
// sets; those that have something else are refused.

// operations are the reads and writes of an operation.
func (r *elle) operations(o elleOp) (ops []history.Op, err error) {
	switch list, isList := o.value.([]any); {
	case o.f == "init":
		m, ok := o.value.(ednMap)
		if !ok {
			return nil, fmt.Errorf("expected a map of initial values")
		}
		return r.items(m, history.Write)
	case isList && len(list) > 0 && isMicro(list[0]):
		for _, x := range list {
			more, err := r.micro(x)
			if err != nil {
				return nil, err
			}
			ops = append(ops, more...)
		}
		return ops, nil
	case o.f == "add":
		return r.add(o)
	case o.f == "read" && len(r.sets.added) > 0:
		if _, ok := collection(o.value); ok {
			return r.readSet(o)
		}
		if o.value == nil {
			return nil, nil
		}
		return nil, fmt.Errorf("the operation read is not one of a set but of a sum: %s", workloads)
	case isList && len(list) == 0, o.f == "txn":
		return nil, nil
	case isRegister(o.f) && isList && len(list) == 2 && (o.f != "cas" || isPair(list[1])):
		return r.single(o, keyOfEDN(r.s, list[0]), list[1])
	case isRegister(o.f) && (!isList || o.f == "cas"):
		return r.single(o, register, o.value)
	case o.value == nil && o.kind != "ok":
		return nil, nil
	}
	return nil, fmt.Errorf("the operation %s is not made of reads, writes and appends: %s", o.f, workloads)
}

// workloads ends the refusal of a test whose operations do not tell which write a read
// is from. Balances and sums are of many transactions at a time. Who holds a lock is
// told by the time, and not by a value.
const workloads = "of the tests of Jepsen and Elle list-append, rw-register, long-fork, set, causal and those of registers are read; " +
	"a bank, a counter or a mutex does not tell from which write it reads: record list-append or rw-register from the same database, " +
	"or judge this file by Jepsen's own checker of the test"

// register is the key of tests that have one only.
const register = "register"

func isRegister(f string) bool { return f == "read" || f == "read-init" || f == "write" || f == "cas" }

func isPair(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) == 2
}

// single is an operation on a register: on the only one, or, with jepsen.independent, on that of a key.
// Tests of causal consistency begin with read-init, and their registers with 0.
func (r *elle) single(o elleOp, key string, value any) (ops []history.Op, err error) {
	r.zero = r.zero || o.f == "read-init"
	pair := []any{value}
	kinds := []history.Kind{history.Read}
	switch {
	case o.f == "write":
		kinds[0] = history.Write
	case o.f == "cas" && isPair(value):
		pair, kinds = value.([]any), []history.Kind{history.Read, history.Write}
	}
	if o.f != "read" && o.kind != "ok" && (value == nil || o.f == "cas" && !isPair(value)) {
		return nil, nil // what it was about to do stands in its call
	}
	for i, x := range pair {
		v, err := scalar(x)
		if err != nil || o.f == "cas" && !isPair(value) {
			return nil, fmt.Errorf("the operation %s is not one on a register (%s): %s", o.f, short(value), workloads)
		}
		if r.zero && kinds[i] == history.Read && v == number(0) {
			v = history.Value{Kind: history.Initial}
		}
		ops = append(ops, history.Op{Kind: kinds[i], Key: key, Value: v})
	}
	return ops, nil
}

func isMicro(x any) bool {
	list, ok := x.([]any)
	if !ok || len(list) < 2 {
		return false
	}
	switch list[0].(type) {
	case keyword, string:
		return true
	}
	return false
}

// micro is a micro-operation.
func (r *elle) micro(x any) ([]history.Op, error) {
	if !isMicro(x) {
		return nil, fmt.Errorf("expected a micro-operation such as [:r key value], got %s", short(x))
	}
	f := x.([]any)
	name := word(f[0])
	if name == "rp" {
		if len(f) < 3 {
			return nil, nil
		}
		m, _ := f[2].(ednMap)
		return r.items(m, history.Read)
	}
	o := history.Op{Kind: history.Write, Key: keyOfEDN(r.s, f[1]), Value: deleted}
	var arg any
	if len(f) > 2 {
		arg = f[2]
	}
	list, isList := arg.([]any)
	switch {
	case name == "delete":
		return []history.Op{o}, nil
	case name == "r" && isList:
		o.Kind, o.Value = history.ReadList, history.Value{}
		for _, e := range list {
			v, err := scalar(e)
			if err != nil {
				return nil, err
			}
			o.List = append(o.List, v)
		}
		return []history.Op{o}, nil
	case name == "r":
		o.Kind = history.Read
	case name == "append":
		o.Kind = history.Append
	case name == "w", name == "insert":
	default:
		return nil, fmt.Errorf("expected append, r, w, insert, delete or rp, got %s", name)
	}
	v, err := scalar(arg)
	if err != nil {
		return nil, err
	}
	if o.Value = v; v.Kind == history.Initial && o.Kind != history.Read {
		return nil, fmt.Errorf("%s of %s has no value", name, o.Key)
	}
	return []history.Op{o}, nil
}

// items are operations on the entries of a map.
func (r *elle) items(m ednMap, kind history.Kind) (ops []history.Op, err error) {
	for _, pair := range m {
		o := history.Op{Kind: kind, Key: mapKey(r.s, pair[0], r.isJSON)}
		if o.Value, err = scalar(pair[1]); err != nil {
			return nil, err
		}
		ops = append(ops, o)
	}
	return ops, nil
}

// word is a keyword, a text or a number without its quotes.
func word(v any) string {
	if v == nil {
		return "nil"
	}
	return fmt.Sprint(v)
}
