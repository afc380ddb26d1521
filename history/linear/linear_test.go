package linear_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/history/linear"
	"github.com/txmc/txmc/program/deadlinetest"
)

// explains reports whether the definition holds of an order: what must have happened is there, real
// time is kept, and each read is of what was written last.
func explains(ops []linear.Op, order []int32, initial int32) bool {
	value := initial
	for i, o := range order {
		for _, later := range order[i+1:] {
			if ops[later].Returned < ops[o].Called {
				return false
			}
		}
		if ops[o].Reads && ops[o].Read != value {
			return false
		}
		if ops[o].Writes {
			value = ops[o].Write
		}
	}
	for i, o := range ops {
		if !o.Optional && !slices.Contains(order, int32(i)) {
			return false
		}
	}
	return true
}

// someOrder tries all orders of all sets of operations.
func someOrder(ops []linear.Op, order []int32) bool {
	if explains(ops, order, 0) {
		return true
	}
	for i := range ops {
		if !slices.Contains(order, int32(i)) && someOrder(ops, append(slices.Clip(order), int32(i))) {
			return true
		}
	}
	return false
}

func randomOps(r *rand.Rand) (ops []linear.Op) {
	value, values := int32(0), int32(2+r.IntN(3))
	for at := range 1 + r.IntN(5) {
		o := linear.Op{Called: int64(at*10 - r.IntN(25)), Returned: int64(at*10 + r.IntN(25))}
		switch r.IntN(3) {
		case 0:
			o.Reads, o.Read = true, value
		case 1:
			o.Writes, o.Write = true, 1+r.Int32N(values)
		default:
			o.Reads, o.Read, o.Writes, o.Write = true, value, true, 1+r.Int32N(values)
		}
		if o.Reads && r.IntN(2) == 0 {
			o.Read = r.Int32N(values)
		}
		if o.Optional = o.Writes && r.IntN(5) == 0; o.Optional {
			o.Returned = linear.Never
		}
		if o.Writes && !(o.Optional && r.IntN(2) == 0) {
			value = o.Write
		}
		ops = append(ops, o)
	}
	r.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	return ops
}

// The search agrees with the definition, which tries everything; and the shortest prefix that is not
// linearizable is one.
func TestLinearizeByDefinition(t *testing.T) {
	t.Parallel()
	right, count := 0, deadlinetest.Of(20000, 4000)
	for seed := range uint64(count) {
		ops := randomOps(rand.New(rand.NewPCG(seed, 1)))
		order, err := linear.Linearize(t.Context(), ops, 0)
		if err != nil {
			t.Fatal(err)
		}
		if want := someOrder(ops, nil); want != (order != nil) {
			t.Fatalf("seed %d: %v, by the definition %v: %+v", seed, order, want, ops)
		}
		if order != nil {
			right++
			if !explains(ops, order, 0) {
				t.Fatalf("seed %d: the order %v does not explain %+v", seed, order, ops)
			}
			continue
		}
		if i, err := linear.Shortest(t.Context(), ops, 0); err != nil || i < 0 || ops[i].Returned == linear.Never {
			t.Fatalf("seed %d: %d, %v", seed, i, err)
		}
	}
	t.Logf("%d of %d are linearizable", right, count)
	if min(right, count-right) < count/5 {
		t.Errorf("%d of %d are linearizable", right, count)
	}
}
