package repeat

import (
	"net"
	"reflect"
	"unsafe"
)

// github.com/gofrs/uuid keeps its generator in a variable. The variable holds a pointer to
// a struct with the time of the identifier before, a sequence that begins with a random
// number, and the machine's address. Each run has a generator of its own, with the same
// sources of time and random numbers.

// gofrs stands for the package's interface Generator: it is never called here.
type gofrs interface{ neverCalled() }

//go:linkname gofrs4 github.com/gofrs/uuid.DefaultGenerator
var gofrs4 gofrs

//go:linkname gofrs5 github.com/gofrs/uuid/v5.DefaultGenerator
var gofrs5 gofrs

// sources are the fields of a generator that are no state.
var sources = map[string]bool{"rand": true, "epochFunc": true, "hwAddrFunc": true}

// renewed is a generator like g that has made nothing yet. A generator of another type than
// the package's own stays as it is.
func renewed(g gofrs) gofrs {
	old := reflect.ValueOf(any(g))
	if old.Kind() != reflect.Pointer || old.Elem().Kind() != reflect.Struct || old.Elem().Type().Name() != "Gen" {
		return g
	}
	t := old.Elem().Type()
	made := reflect.New(t)
	for i := range t.NumField() {
		f := t.Field(i)
		if !sources[f.Name] {
			continue
		}
		to := reflect.NewAt(f.Type, unsafe.Add(made.UnsafePointer(), f.Offset)).Elem()
		to.Set(reflect.NewAt(f.Type, unsafe.Add(old.UnsafePointer(), f.Offset)).Elem())
		if own := reflect.ValueOf(address); own.Type().ConvertibleTo(f.Type) {
			to.Set(own.Convert(f.Type))
		}
	}
	(*[2]unsafe.Pointer)(unsafe.Pointer(&g))[1] = made.UnsafePointer() // an interface is its type and the pointer
	return g
}

// address stands for the machine's. No machine has an address with this bit set.
func address() (net.HardwareAddr, error) { return net.HardwareAddr{local, 5: 1}, nil }
