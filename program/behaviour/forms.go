package behaviour

import (
	"bytes"
	"encoding"
	"fmt"
	"reflect"
	"sync"
)

// Types that marshal themselves and have the inverse are stored as what they make of
// themselves: times, decimal and big numbers, addresses. Two of their values are
// equal when these texts are. A struct that inherits the methods from an embedded
// field would lose its other fields: it is stored field by field.

// form is how the values of a type are stored.
type form uint8

const (
	unknownForm form = iota
	structural       // by kind
	textual          // MarshalText and UnmarshalText
	binaryForm       // MarshalBinary and UnmarshalBinary
)

// forms knows the forms of types.
type forms struct {
	known sync.Map // form by reflect.Type
	mute  sync.Map // types whose methods do not make a text in time
}

var (
	marshalsText   = reflect.TypeFor[encoding.TextMarshaler]()
	unmarshalsText = reflect.TypeFor[encoding.TextUnmarshaler]()
	marshalsBinary = reflect.TypeFor[encoding.BinaryMarshaler]()
	unmarshalsBin  = reflect.TypeFor[encoding.BinaryUnmarshaler]()
)

// of returns the form of a type. A time.Time has one of its own, which keeps more
// than its text does.
func (f *forms) of(t reflect.Type) form {
	if t.PkgPath() == "" || isTime(t) {
		return structural
	}
	if known, ok := f.known.Load(t); ok {
		return known.(form)
	}
	found := structural
	switch ptr := reflect.PointerTo(t); {
	case t.Kind() == reflect.Interface:
	case ptr.Implements(marshalsText) && ptr.Implements(unmarshalsText) && !inherits(t, marshalsText):
		found = textual
	case ptr.Implements(marshalsBinary) && ptr.Implements(unmarshalsBin) && !inherits(t, marshalsBinary):
		found = binaryForm
	}
	f.known.Store(t, found)
	return found
}

// inherits reports whether an embedded field of t has the methods.
func inherits(t reflect.Type, methods reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && (f.Type.Implements(methods) || reflect.PointerTo(f.Type).Implements(methods)) {
			return true
		}
	}
	return false
}

// marshal returns what v makes of itself.
func (f form) marshal(v reflect.Value) ([]byte, error) {
	if !v.CanAddr() {
		v = addressable(v)
	}
	if f == textual {
		return v.Addr().Interface().(encoding.TextMarshaler).MarshalText()
	}
	return v.Addr().Interface().(encoding.BinaryMarshaler).MarshalBinary()
}

// unmarshal returns the value of the type that made data of itself.
func (f form) unmarshal(t reflect.Type, data []byte) (reflect.Value, error) {
	dst := reflect.New(t)
	var err error
	if f == textual {
		err = dst.Interface().(encoding.TextUnmarshaler).UnmarshalText(data)
	} else {
		err = dst.Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(data)
	}
	return dst.Elem(), err
}

// copied returns a copy of a value that encoder has accepted; of one that cannot
// be marshaled again, the value.
func (f form) copied(v reflect.Value) reflect.Value {
	if data, err := f.marshal(v); err == nil {
		if c, err := f.unmarshal(v.Type(), data); err == nil {
			return c
		}
	}
	return v
}

// marshaled writes what v makes of itself, and sees to it that the inverse agrees.
func (e *encoder) marshaled(v reflect.Value, f form) error {
	method := map[form]string{textual: "Text", binaryForm: "Binary"}[f]
	data, err := f.marshal(v)
	if err != nil {
		return fmt.Errorf("%s.Marshal%s: %w", v.Type(), method, err)
	}
	back, err := f.unmarshal(v.Type(), bytes.Clone(data))
	if err != nil {
		return fmt.Errorf("%s.Unmarshal%s does not accept what Marshal%[2]s makes: %w", v.Type(), method, err)
	}
	again, err := f.marshal(back)
	if err != nil || !bytes.Equal(data, again) {
		return fmt.Errorf("%s.Unmarshal%s does not restore what Marshal%[2]s makes", v.Type(), method)
	}
	if len(data) > e.limit-len(e.buf) {
		return e.tooLarge()
	}
	e.refs = true
	e.string(string(data))
	return nil
}
