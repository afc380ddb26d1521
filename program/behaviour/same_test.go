package behaviour

import (
	"reflect"
	"testing"

	"github.com/txmc/txmc/program/access"
)

// Nodes that differ in anything of what is asked, or of what a database adds, do not do the same.
func TestSame(t *testing.T) {
	n := Node{}
	for _, part := range []any{&n.Operation, &n.OnDatabase} {
		v := reflect.ValueOf(part).Elem()
		for i := range v.NumField() {
			switch f := v.Field(i); f.Kind() {
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Int32:
				f.SetInt(1)
			case reflect.Uint8, reflect.Uint32:
				f.SetUint(1)
			case reflect.String:
				f.SetString("x")
			case reflect.Struct:
				n.Mode.ReadOnly = true
			case reflect.Pointer:
				f.Set(reflect.New(f.Type().Elem()))
			default:
				t.Fatalf("the test leaves out %s", v.Type().Field(i).Name)
			}
			if n.Same(&Node{}) {
				t.Errorf("nodes with different %s do the same", v.Type().Field(i).Name)
			}
			v.Field(i).SetZero()
		}
	}
	if !n.Same(&Node{}) {
		t.Error("equal nodes do not do the same")
	}
	n.Request = &access.Request{Kind: access.See}
	if n.Same(&Node{Operation: Operation{Request: &access.Request{}}}) {
		t.Error("nodes with different requests do the same")
	}
}
