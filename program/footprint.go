package program

import (
	"hash/maphash"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// maxFootprint bounds how much of a variable is compared, in values that it is
// made of. Larger ones are not compared: a part of a map is another part each
// time.
const maxFootprint = 1 << 14

// footprint computes a number that is the same as long as a variable, and what it
// points to, are. The contents of functions and channels, and of most types of the
// standard library, are left out: these keep caches of their own.
type footprint struct {
	seed    maphash.Seed
	home    string // first element of the import path of the variable's package
	left    int
	onPath  map[unsafe.Pointer]bool
	dropped bool // it is larger than maxFootprint
}

// footprintOf returns the footprint of what address points to; false when it is
// too large.
func footprintOf(seed maphash.Seed, address any, pkg string) (uint64, bool) {
	f := &footprint{seed: seed, left: maxFootprint, onPath: map[unsafe.Pointer]bool{}}
	f.home, _, _ = strings.Cut(pkg, "/")
	sum := f.value(reflect.ValueOf(address).Elem())
	return sum, !f.dropped
}

func (f *footprint) text(s string) uint64 { return maphash.String(f.seed, s) }

func (f *footprint) number(n uint64) uint64 { return maphash.Comparable(f.seed, n) }

// join is a footprint of two, in this order.
func (f *footprint) join(a, b uint64) uint64 {
	return maphash.Comparable(f.seed, [2]uint64{a, b})
}

func (f *footprint) value(v reflect.Value) uint64 {
	if f.left--; f.left < 0 {
		f.dropped = true
		return 0
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return f.number(1)
		}
		return f.number(0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return f.number(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return f.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		return f.number(math.Float64bits(v.Float()))
	case reflect.Complex64, reflect.Complex128:
		return f.join(f.number(math.Float64bits(real(v.Complex()))), f.number(math.Float64bits(imag(v.Complex()))))
	case reflect.String:
		return f.text(v.String())
	case reflect.Struct:
		return f.structure(v)
	case reflect.Array, reflect.Slice:
		return f.elements(v)
	case reflect.Map:
		return f.mapping(v)
	case reflect.Pointer:
		return f.pointer(v)
	case reflect.Interface:
		if v.IsNil() {
			return f.number(0)
		}
		return f.join(f.text(v.Elem().Type().String()), f.value(v.Elem()))
	default: // Chan, Func, UnsafePointer: by identity
		return f.number(uint64(v.Pointer()))
	}
}

func (f *footprint) elements(v reflect.Value) uint64 {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return f.number(0)
	}
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		return maphash.Bytes(f.seed, v.Bytes())
	}
	sum := f.number(uint64(v.Len()) + 1)
	for i := 0; i < v.Len() && !f.dropped; i++ {
		sum = f.join(sum, f.value(v.Index(i)))
	}
	return sum
}

// mapping adds up the entries, which come in any order.
func (f *footprint) mapping(v reflect.Value) uint64 {
	if v.IsNil() {
		return f.number(0)
	}
	var sum uint64
	for it := v.MapRange(); it.Next() && !f.dropped; {
		sum += f.join(f.value(it.Key()), f.value(it.Value()))
	}
	return f.join(f.number(uint64(v.Len())+1), sum)
}

func (f *footprint) pointer(v reflect.Value) uint64 {
	at := v.UnsafePointer()
	if at == nil || f.onPath[at] {
		return f.number(uint64(len(f.onPath)))
	}
	f.onPath[at] = true
	sum := f.join(f.number(1), f.value(v.Elem()))
	delete(f.onPath, at)
	return sum
}

// structure walks into the fields of the client's types, of those of other
// modules, and of the few of the standard library that hold data.
func (f *footprint) structure(v reflect.Value) uint64 {
	t := v.Type()
	switch pkg := t.PkgPath(); {
	case pkg == programPath && strings.HasPrefix(t.Name(), "Var["):
		return f.text(v.FieldByName("key").String())
	case pkg == programPath && slices.Contains([]string{"Tx", "Session", "Program"}, t.Name()):
		return 0
	case t == reflect.TypeFor[sync.Map]():
		return f.syncMap(v)
	case !f.walks(pkg):
		return 0
	}
	sum := f.number(uint64(v.NumField()))
	for i := 0; i < v.NumField() && !f.dropped; i++ {
		sum = f.join(sum, f.value(v.Field(i)))
	}
	return sum
}

const programPath = "github.com/txmc/txmc/program"

// dataPackages are those of the standard library whose types hold data alone.
var dataPackages = []string{"sync/atomic", "container/list", "container/ring", "container/heap", "bytes", "expvar", "math/big", "math/rand", "math/rand/v2", "net/netip", "time"}

// idlePackages are packages whose types a program uses and reads nothing back from. Or their
// types keep nothing from one call to the next. Such are metrics, and what joins calls that
// are alike.
var idlePackages = []string{"github.com/prometheus/client_golang", "go.opentelemetry.io/otel", "golang.org/x/sync/singleflight"}

// walks reports whether the fields of a type of that package count.
func (f *footprint) walks(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	for _, idle := range idlePackages {
		if rest, ok := strings.CutPrefix(pkg, idle); ok && (rest == "" || rest[0] == '/') {
			return false
		}
	}
	return pkg == "" || pkg == "main" || first == f.home || strings.Contains(first, ".") || slices.Contains(dataPackages, pkg)
}

func (f *footprint) syncMap(v reflect.Value) uint64 {
	if !v.CanAddr() {
		return 0
	}
	m := (*sync.Map)(unsafe.Pointer(v.UnsafeAddr()))
	var sum, n uint64
	m.Range(func(key, value any) bool {
		n++
		sum += f.join(f.value(reflect.ValueOf(&key).Elem()), f.value(reflect.ValueOf(&value).Elem()))
		return !f.dropped
	})
	return f.join(f.number(n), sum)
}
