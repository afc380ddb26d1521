package behaviour

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"
	"unsafe"
)

// maxDepth bounds the nesting of a stored value; as a rule only a value that
// contains itself goes deeper.
const maxDepth = 100

// DefaultValueBytes is what Options.MaxValueBytes is by default.
const DefaultValueBytes = 1 << 20

var timeType = reflect.TypeFor[time.Time]()

// isTime reports whether a type is time.Time, or made of it by another name.
func isTime(t reflect.Type) bool { return t.Kind() == reflect.Struct && t.ConvertibleTo(timeType) }

// encoder writes the canonical form of a value: two values have the same form exactly
// when they have the same type and equal contents. Maps are written in the order of
// their encoded keys, and floats by their bits. A pointer is written as the value that
// it points to. A type that marshals itself is written as the bytes that it makes. A
// nil slice, map or pointer differs from an empty one, as user code can tell them
// apart.
type encoder struct {
	types map[reflect.Type]uint64 // nil: types are written by their names
	forms *forms
	buf   []byte
	refs  bool // met something that copies would share: the value has to be copied
	inKey bool // of a map
	most  int  // bytes that the encoding of the whole value may have
	limit int  // bytes that buf may have
	steps int  // parts met, at most as many
}

func (e *encoder) uint(u uint64) { e.buf = binary.AppendUvarint(e.buf, u) }

func (e *encoder) string(s string) {
	e.uint(uint64(len(s)))
	e.buf = append(e.buf, s...)
}

// value writes the value v, which depth others contain.
func (e *encoder) value(v reflect.Value, depth int) error {
	if depth > maxDepth {
		return &tooMuch{what: fmt.Sprintf("it is nested more than %d deep (does it contain itself?)", maxDepth)}
	}
	if e.steps++; len(e.buf) > e.limit || e.steps > e.most {
		return e.tooLarge()
	}
	if f := e.forms.of(v.Type()); f != structural {
		return e.marshaled(v, f)
	}
	switch v.Kind() {
	case reflect.String:
		if v.Len() > e.limit-len(e.buf) {
			return e.tooLarge()
		}
		e.string(v.String())
	case reflect.Array:
		return e.elements(v, depth)
	case reflect.Slice:
		return e.sliceValue(v, depth)
	case reflect.Map:
		return e.mapValue(v, depth)
	case reflect.Struct:
		return e.structValue(v, depth)
	case reflect.Interface:
		return e.interfaceValue(v, depth)
	case reflect.Pointer:
		return e.pointerValue(v, depth)
	default:
		return e.scalar(v)
	}
	return nil
}

// scalar writes a truth value or a number.
func (e *encoder) scalar(v reflect.Value) error {
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
	default:
		return fmt.Errorf("a %s (%s) is not a value that a database can hold", v.Kind(), v.Type())
	}
	return nil
}

// tooLarge is the error of a value whose encoding is longer than allowed.
func (e *encoder) tooLarge() error {
	return &tooMuch{what: fmt.Sprintf("it takes more than %d bytes (what it holds in several places counts each time): store less", e.most)}
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

// interfaceValue writes the dynamic type and the value.
func (e *encoder) interfaceValue(v reflect.Value, depth int) error {
	if v.IsNil() {
		e.buf = append(e.buf, 0)
		return nil
	}
	return e.dynamic(v.Elem(), depth+1)
}

// dynamic writes the type of a value, and the value.
func (e *encoder) dynamic(v reflect.Value, depth int) error {
	if e.types == nil {
		e.string(v.Type().PkgPath())
		e.string(v.Type().String())
		return e.value(v, depth)
	}
	id, ok := e.types[v.Type()]
	if !ok {
		id = uint64(len(e.types) + 1)
		e.types[v.Type()] = id
	}
	e.uint(id)
	return e.value(v, depth)
}

func (e *encoder) pointerValue(v reflect.Value, depth int) error {
	if e.inKey {
		return fmt.Errorf("a pointer (%s) is equal to itself alone: make what it points to the key", v.Type())
	}
	e.refs = true
	if v.IsNil() {
		e.buf = append(e.buf, 0)
		return nil
	}
	e.buf = append(e.buf, 1)
	return e.value(v.Elem(), depth+1)
}

func (e *encoder) sliceValue(v reflect.Value, depth int) error {
	e.refs = true
	if v.IsNil() {
		e.buf = append(e.buf, 0)
		return nil
	}
	e.uint(uint64(v.Len()) + 1)
	if v.Type().Elem().Kind() != reflect.Uint8 {
		return e.elements(v, depth)
	}
	if v.Len() > e.limit-len(e.buf) {
		return e.tooLarge()
	}
	e.buf = append(e.buf, v.Bytes()...)
	return nil
}

func (e *encoder) mapValue(v reflect.Value, depth int) error {
	e.refs = true
	if v.IsNil() {
		e.buf = append(e.buf, 0)
		return nil
	}
	e.uint(uint64(v.Len()) + 1)
	entries, size := make([][]byte, 0, min(v.Len(), e.limit)), 0
	for it := v.MapRange(); it.Next(); {
		sub := encoder{types: e.types, forms: e.forms, most: e.most, limit: e.limit - len(e.buf) - size, steps: e.steps, inKey: true}
		if err := sub.value(it.Key(), depth+1); err != nil {
			return in("map key", err)
		}
		sub.inKey = e.inKey
		if err := sub.value(it.Value(), depth+1); err != nil {
			return err
		}
		size += len(sub.buf)
		e.steps = sub.steps
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
	if isTime(v.Type()) {
		return e.time(v.Convert(timeType).Interface().(time.Time))
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
			return inField(v.Type().Field(i).Name, err)
		}
	}
	return nil
}

// tooMuch is the error of a value that is too deep or too large. It names the outermost field
// alone: the way to where it is too much would be long.
type tooMuch struct{ field, what string }

func (e *tooMuch) Error() string { return e.field + e.what }

// inField says in which field the error is.
func inField(name string, err error) error { return in("field "+name, err) }

// in says where in a value the error is.
func in(place string, err error) error {
	if e, ok := err.(*tooMuch); ok {
		e.field = place + ": "
		return e
	}
	return fmt.Errorf("%s: %w", place, err)
}

// time writes the instant and the zone. The zone is its name and its offset at that
// instant: two zones that agree on these count as the same. The location inside a
// time.Time never changes, so that a Time may be shared.
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
func (f *forms) deepCopy(v reflect.Value) reflect.Value {
	dst := addressable(v)
	f.detach(dst)
	return dst
}

// detach gives the addressable value v its own slices, maps and what its pointers
// point to.
func (f *forms) detach(v reflect.Value) {
	if form := f.of(v.Type()); form != structural {
		v.Set(form.copied(v))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		own := reflect.New(v.Type().Elem())
		own.Elem().Set(v.Elem())
		f.detach(own.Elem())
		v.Set(own)
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			f.detach(own.Index(i))
		}
		v.Set(own)
	case reflect.Array:
		for i := range v.Len() {
			f.detach(v.Index(i))
		}
	case reflect.Map:
		if v.IsNil() {
			return
		}
		own := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			own.SetMapIndex(f.deepCopy(it.Key()), f.deepCopy(it.Value()))
		}
		v.Set(own)
	case reflect.Struct:
		if isTime(v.Type()) {
			return
		}
		for i := range v.NumField() {
			f.detach(exported(v.Field(i)))
		}
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(f.deepCopy(v.Elem()))
		}
	}
}
