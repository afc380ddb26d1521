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
		e.uint(uint64(v.Len()))
		e.buf = append(e.buf, v.String()...)
	case reflect.Array:
		return e.elements(v, depth)
	case reflect.Slice:
		e.refs = true
		if v.IsNil() {
			e.buf = append(e.buf, 0)
			return nil
		}
		e.uint(uint64(v.Len()) + 1)
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
		return fmt.Errorf("a pointer (%s) cannot be stored: store the value it points to", v.Type())
	default:
		return fmt.Errorf("a %s (%s) cannot be stored", v.Kind(), v.Type())
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

func (e *encoder) structValue(v reflect.Value, depth int) error {
	if v.Type() == timeType {
		return e.time(v)
	}
	for i := range v.NumField() {
		if err := e.value(v.Field(i), depth+1); err != nil {
			return fmt.Errorf("field %s: %w", v.Type().Field(i).Name, err)
		}
	}
	return nil
}

// time writes the instant and the zone. The location pointer inside a
// time.Time never changes, so that a Time may be shared.
func (e *encoder) time(v reflect.Value) error {
	if !v.CanInterface() {
		addr := reflect.New(timeType).Elem()
		if !v.CanAddr() {
			return fmt.Errorf("a time.Time in an unexported field cannot be stored: store its UnixNano")
		}
		addr.Set(reflect.NewAt(timeType, unsafe.Pointer(v.UnsafeAddr())).Elem())
		v = addr
	}
	t := v.Interface().(time.Time)
	if t != t.Round(0) {
		return fmt.Errorf("a time.Time of the running clock differs in every run: store a fixed time")
	}
	b, err := t.MarshalBinary()
	if err != nil {
		return err
	}
	e.uint(uint64(len(b)))
	e.buf = append(e.buf, b...)
	name := t.Location().String()
	e.uint(uint64(len(name)))
	e.buf = append(e.buf, name...)
	return nil
}

// deepCopy copies a value that encoder has accepted. Unexported fields are
// copied too.
func deepCopy(v reflect.Value) reflect.Value {
	dst := reflect.New(v.Type()).Elem()
	dst.Set(v)
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
			f := v.Field(i)
			detach(reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(deepCopy(v.Elem()))
		}
	}
}
