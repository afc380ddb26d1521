package program

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"
	"unsafe"
)

// maxDepth bounds the nesting of a stored value; only a slice or map that
// contains itself goes deeper.
const maxDepth = 100

var timeType = reflect.TypeFor[time.Time]()

// encoder writes the canonical form of a value: two values have the same form
// exactly when they have the same type and equal contents. Maps are written in
// the order of their encoded keys, floats by their bits. A nil slice or map
// differs from an empty one, as user code can tell them apart.
type encoder struct {
	types map[reflect.Type]uint64
	buf   []byte
	refs  bool // met a slice or map: the value has to be copied
}

func (e *encoder) uint(u uint64) { e.buf = binary.AppendUvarint(e.buf, u) }

func (e *encoder) string(s string) {
	e.uint(uint64(len(s)))
	e.buf = append(e.buf, s...)
}

// interfaceValue writes the dynamic type and the value.
func (e *encoder) interfaceValue(v reflect.Value, depth int) error {
	id, ok := e.types[v.Type()]
	if !ok {
		id = uint64(len(e.types) + 1)
		e.types[v.Type()] = id
	}
	e.uint(id)
	return e.value(v, depth)
}

func (e *encoder) value(v reflect.Value, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("it is nested more than %d deep (does it contain itself?)", maxDepth)
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			e.buf = append(e.buf, 1)
		} else {
			e.buf = append(e.buf, 0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.buf = binary.AppendVarint(e.buf, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.uint(v.Uint())
	case reflect.Float32, reflect.Float64:
		e.float(v.Float())
	case reflect.Complex64, reflect.Complex128:
		e.float(real(v.Complex()))
		e.float(imag(v.Complex()))
	case reflect.String:
		e.string(v.String())
	case reflect.Array:
		return e.elements(v, depth)
	case reflect.Slice:
		e.refs = true
		if v.IsNil() {
			e.buf = append(e.buf, 0)
			return nil
		}
		e.uint(uint64(v.Len()) + 1)
		if v.Type().Elem().Kind() == reflect.Uint8 {
			e.buf = append(e.buf, v.Bytes()...)
			return nil
		}
		return e.elements(v, depth)
	case reflect.Map:
		e.refs = true
		return e.mapValue(v, depth)
	case reflect.Struct:
		return e.structValue(v, depth)
	case reflect.Interface:
		if v.IsNil() {
			e.buf = append(e.buf, 0)
			return nil
		}
		return e.interfaceValue(v.Elem(), depth+1)
	case reflect.Pointer:
		return fmt.Errorf("a pointer (%s) is not a value: store what it points to", v.Type())
	default:
		return fmt.Errorf("a %s (%s) is not a value that a database can hold", v.Kind(), v.Type())
	}
	return nil
}

// float tells -0 from 0 and makes all NaNs of one bit pattern equal.
func (e *encoder) float(f float64) {
	e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(f))
}

func (e *encoder) elements(v reflect.Value, depth int) error {
	for i := range v.Len() {
		if err := e.value(v.Index(i), depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) mapValue(v reflect.Value, depth int) error {
	if v.IsNil() {
		e.buf = append(e.buf, 0)
		return nil
	}
	e.uint(uint64(v.Len()) + 1)
	entries := make([][]byte, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		sub := encoder{types: e.types}
		if err := sub.value(it.Key(), depth+1); err != nil {
			return fmt.Errorf("map key: %w", err)
		}
		if err := sub.value(it.Value(), depth+1); err != nil {
			return err
		}
		entries = append(entries, sub.buf)
	}
	slices.SortFunc(entries, slices.Compare)
	for _, b := range entries {
		e.buf = append(e.buf, b...)
	}
	return nil
}

// structValue writes the fields, those that are not exported too.
func (e *encoder) structValue(v reflect.Value, depth int) error {
	if v.Type() == timeType {
		return e.time(v.Interface().(time.Time))
	}
	for i := range v.NumField() {
		f := v.Field(i)
		if !f.CanInterface() {
			if !v.CanAddr() {
				v = addressable(v)
			}
			f = exported(v.Field(i))
		}
		if err := e.value(f, depth+1); err != nil {
			return fmt.Errorf("field %s: %w", v.Type().Field(i).Name, err)
		}
	}
	return nil
}

// time writes the instant and the zone, by its name and its offset at that
// instant: two zones that agree on these count as the same. The location inside
// a time.Time never changes, so that a Time may be shared.
func (e *encoder) time(t time.Time) error {
	if t != t.Round(0) {
		return fmt.Errorf("a time.Time of the running clock differs in every run: store a fixed time")
	}
	e.buf = binary.AppendVarint(e.buf, t.Unix())
	e.uint(uint64(t.Nanosecond()))
	switch t.Location() {
	case time.UTC:
		e.uint(0)
		return nil
	case time.Local:
		e.uint(1)
	default:
		e.uint(2)
	}
	_, offset := t.Zone()
	e.buf = binary.AppendVarint(e.buf, int64(offset))
	e.string(t.Location().String())
	return nil
}

// addressable copies v to where its fields can be reached.
func addressable(v reflect.Value) reflect.Value {
	dst := reflect.New(v.Type()).Elem()
	dst.Set(v)
	return dst
}

// exported is the addressable field f, without the protection of a field that is
// not exported.
func exported(f reflect.Value) reflect.Value {
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

// deepCopy copies a value that encoder has accepted. Unexported fields are
// copied too.
func deepCopy(v reflect.Value) reflect.Value {
	dst := addressable(v)
	detach(dst)
	return dst
}

// detach gives the addressable value v its own slices and maps.
func detach(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			detach(own.Index(i))
		}
		v.Set(own)
	case reflect.Array:
		for i := range v.Len() {
			detach(v.Index(i))
		}
	case reflect.Map:
		if v.IsNil() {
			return
		}
		own := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			own.SetMapIndex(deepCopy(it.Key()), deepCopy(it.Value()))
		}
		v.Set(own)
	case reflect.Struct:
		if v.Type() == timeType {
			return
		}
		for i := range v.NumField() {
			detach(exported(v.Field(i)))
		}
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(deepCopy(v.Elem()))
		}
	}
}
