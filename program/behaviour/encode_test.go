package behaviour_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/txmc/txmc/program/behaviour"
)

type (
	money  int
	name   string
	flags  [2]bool
	list   []int
	inner  struct{ a, B any }
	nested struct {
		Name  string
		inner inner
		Tags  []string
		index map[string]inner
		pair  [2]money
		when  time.Time
	}
	key struct {
		n int8
		s any
	}
	embedded struct {
		inner
		N int
	}
)

// drawValue draws values that are often equal but for a type or a nil.
func drawValue(t *rapid.T, depth int) any {
	kinds := 18
	if depth <= 0 {
		kinds = 13
	}
	small := func() int { return rapid.IntRange(0, 2).Draw(t, "n") }
	sub := func() any { return drawValue(t, depth-1) }
	subs := func() []any {
		if rapid.Bool().Draw(t, "nil") {
			return nil
		}
		s := make([]any, small())
		for i := range s {
			s[i] = sub()
		}
		return s
	}
	switch rapid.IntRange(0, kinds).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return small()
	case 2:
		return int8(small())
	case 3:
		return money(small())
	case 4:
		return uint(small())
	case 5:
		return float64(small())
	case 6:
		return float32(small())
	case 7:
		return complex(float64(small()), float64(small()))
	case 8:
		return string(rune('a' + small()))
	case 9:
		return name("a")
	case 10:
		return small() == 1
	case 11:
		return drawTime(t)
	case 12:
		return flags{small() == 1, false}
	case 13:
		return subs()
	case 14:
		if rapid.Bool().Draw(t, "nil") {
			return list(nil)
		}
		return make(list, small())
	case 15:
		if rapid.Bool().Draw(t, "nil") {
			return map[any]any(nil)
		}
		m := map[any]any{}
		for range small() {
			m[rapid.SampledFrom([]any{1, int8(1), "1", 1.0, flags{}, key{n: 1, s: "x"}, key{n: 1, s: 2}}).Draw(t, "key")] = sub()
		}
		return m
	case 16:
		n := nested{Name: "n", inner: inner{a: sub(), B: sub()}, pair: [2]money{money(small())}, when: drawTime(t)}
		if rapid.Bool().Draw(t, "tags") {
			n.Tags = make([]string, small())
		}
		if rapid.Bool().Draw(t, "index") {
			n.index = map[string]inner{"a": {a: sub(), B: nil}, "b": {a: nil, B: sub()}}
		}
		return n
	case 17:
		return [2]any{sub(), sub()}
	default:
		return embedded{inner: inner{a: sub(), B: sub()}, N: small()}
	}
}

var berlin = time.FixedZone("Berlin", 3600)

func drawTime(t *rapid.T) time.Time {
	at := time.Unix(int64(rapid.IntRange(0, 1).Draw(t, "sec")), int64(rapid.IntRange(0, 1).Draw(t, "nsec")))
	switch rapid.IntRange(0, 4).Draw(t, "zone") {
	case 0:
		return at.UTC()
	case 1:
		return at.In(berlin)
	case 2:
		return at.In(time.FixedZone("Berlin", 3600))
	case 3:
		return at.In(time.FixedZone("", -60))
	default:
		return time.Time{}
	}
}

// Two values have one ID exactly when they have the same type and are deeply
// equal. (No NaN and no -0 here.)
func TestSameIDIffDeepEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := behaviour.NewValueTable()
		var values []any
		for range 6 {
			values = append(values, drawValue(t, 3))
		}
		for _, a := range values {
			for _, b := range values {
				same := table.ID(a) == table.ID(b)
				if same != reflect.DeepEqual(a, b) {
					t.Fatalf("same ID: %v for\n%#v\n%#v", same, a, b)
				}
			}
			if got := table.Get(table.ID(a)); !reflect.DeepEqual(got, a) {
				t.Fatalf("%#v came out as %#v", a, got)
			}
		}
	})
}

// Values of a generated type are compared too: all fields, whatever they are.
func TestSameIDIffDeepEqualOfOneType(t *testing.T) {
	type record struct {
		A int8
		B []uint8
		C map[int8]string
		D [2]struct{ X, Y uint8 }
		E string
		F []string
		G map[struct{ K uint8 }][]int8
		H bool
	}
	small := rapid.Custom(func(t *rapid.T) record {
		bytes := rapid.SliceOfN(rapid.Uint8Range(0, 1), -1, 2)
		word := rapid.StringOfN(rapid.RuneFrom([]rune("ab")), -1, 2, -1)
		r := record{A: rapid.Int8Range(0, 1).Draw(t, "A"), E: word.Draw(t, "E"), H: rapid.Bool().Draw(t, "H")}
		if rapid.Bool().Draw(t, "b") {
			r.B = bytes.Draw(t, "B")
		}
		if rapid.Bool().Draw(t, "c") {
			r.C = rapid.MapOfN(rapid.Int8Range(0, 1), word, -1, 2).Draw(t, "C")
		}
		r.D[1].X = rapid.Uint8Range(0, 1).Draw(t, "X")
		if rapid.Bool().Draw(t, "f") {
			r.F = rapid.SliceOfN(word, -1, 2).Draw(t, "F")
		}
		if rapid.Bool().Draw(t, "g") {
			r.G = map[struct{ K uint8 }][]int8{{rapid.Uint8Range(0, 1).Draw(t, "K")}: nil}
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		table := behaviour.NewValueTable()
		a, b := small.Draw(t, "a"), small.Draw(t, "b")
		for _, b := range []record{b, a} {
			if same := table.ID(a) == table.ID(b); same != reflect.DeepEqual(a, b) {
				t.Fatalf("same ID: %v for\n%#v\n%#v", same, a, b)
			}
		}
	})
}

// Values that look alike, all different.
func TestDifferentValues(t *testing.T) {
	type local struct{ A int }
	other := func() any {
		type local struct{ A int }
		return local{A: 1}
	}
	utc := time.Unix(0, 0).UTC()
	values := []any{
		nil, 0, int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0), uint64(0), uintptr(0),
		0.0, math.Copysign(0, -1), math.NaN(), float32(0), 0i, complex64(0), "", "0", "nil", name(""), false, money(0),
		[]int(nil), []int{}, []int{0}, []int{0, 0}, list{}, []int8{}, [0]int{}, [1]int{}, []any{}, []any{nil}, []any{0}, []any{int8(0)}, []any{[]any{}},
		[]byte(nil), []byte{}, []byte{0}, []byte("a"), "a",
		map[string]int(nil), map[string]int{}, map[string]int{"": 0}, map[string]any{"": 0}, map[any]any{"": 0}, map[any]any{0: 0}, map[any]any{int8(0): 0},
		[]string{"a", "b"}, []string{"ab", ""}, []string{"", "ab"}, [2]string{"a", "b"}, [2]string{"", "ab"},
		map[string]string{"a": "b"}, map[string]string{"b": "a"}, map[string]string{"ab": ""},
		[][]int{{1}, {}}, [][]int{{}, {1}}, [][]int{{1}, nil}, [][]int{{1}}, [][]int{{1, 0}},
		struct{}{}, struct{ A int }{1}, struct{ B int }{1}, struct{ a int }{1}, local{A: 1}, other(), inner{a: 1, B: nil}, inner{a: nil, B: 1}, embedded{inner: inner{a: 1, B: nil}, N: 0},
		utc, utc.In(berlin), utc.In(time.FixedZone("Bern", 3600)), utc.In(time.FixedZone("UTC", 0)), utc.In(time.FixedZone("Berlin", 3601)), utc.Add(1), time.Time{},
	}
	table := behaviour.NewValueTable()
	ids := map[behaviour.ValueID]int{}
	for i, v := range values {
		id := table.ID(v)
		if j, ok := ids[id]; ok {
			t.Errorf("%T %#v and %T %#v have one ID", values[j], values[j], v, v)
		}
		ids[id] = i
		if again := table.ID(v); again != id {
			t.Errorf("%#v has two IDs", v)
		}
		if got := table.Get(id); fmt.Sprintf("%T %#v", got, got) != fmt.Sprintf("%T %#v", v, v) {
			t.Errorf("%#v came out as %#v", v, got)
		}
	}
	if table.ID(nil) != 0 {
		t.Error("nil is not value 0")
	}
}

// NaN is the same value each time, also where Go does not find it equal.
func TestNaN(t *testing.T) {
	table := behaviour.NewValueTable()
	nan := math.NaN()
	for _, v := range []any{nan, float32(nan), []float64{nan}, map[float64]int{nan: 1, math.Inf(1): 2}, inner{a: nan, B: complex(nan, 1)}} {
		if first := table.ID(v); table.ID(v) != first {
			t.Errorf("%#v has two IDs", v)
		}
	}
	twice := map[float64]int{}
	twice[nan], twice[math.NaN()] = 1, 1
	if table.ID(twice) == table.ID(map[float64]int{nan: 1}) {
		t.Error("a map with two NaN keys is the map with one")
	}
	if got := table.Get(table.ID(twice)).(map[float64]int); len(got) != 2 {
		t.Errorf("came out as %v", got)
	}
}

// The order in which a map was built does not matter, nor the types' order of
// appearance.
func TestMapOrder(t *testing.T) {
	build := func(from, to, step int) any {
		m := map[any]any{}
		for i := from; i != to; i += step {
			m[i], m[fmt.Sprint(i)], m[float64(i)] = fmt.Sprint(i), i, map[int]int{i: i}
		}
		return m
	}
	table := behaviour.NewValueTable()
	first := table.ID(build(0, 50, 1))
	for range 20 {
		if table.ID(build(49, -1, -1)) != first {
			t.Fatal("equal maps have two IDs")
		}
	}
}

// Zones of one offset and abbreviation are told apart by name; a zone that is
// loaded again is the same.
func TestLoadedZones(t *testing.T) {
	load := func(name string) time.Time {
		l, err := time.LoadLocation(name)
		if err != nil {
			t.Skip(err)
		}
		return time.Unix(0, 0).In(l)
	}
	table := behaviour.NewValueTable()
	first := table.ID(load("Europe/Berlin"))
	if table.ID(load("Europe/Berlin")) != first {
		t.Error("Berlin is not Berlin")
	}
	if table.ID(load("Europe/Madrid")) == first {
		t.Error("Madrid is Berlin")
	}
}

// Spare capacity is not handed out: an append by one reader is not seen by
// another.
func TestNoSpareCapacity(t *testing.T) {
	table := behaviour.NewValueTable()
	s := make([]int, 1, 10)
	got := table.Get(table.ID(s)).([]int)
	if cap(got) != 1 {
		t.Errorf("capacity %d", cap(got))
	}
}
