package access

import (
	"reflect"
	"testing"
)

// TestEncode: an answer is the same after a way through its encoding, and others have
// other encodings.
func TestEncode(t *testing.T) {
	answers := []Answer{
		{}, {Result: Failed, Code: "40001"}, {Result: SelfModified, Command: 7}, {Result: Updated, Key: true}, {Enters: true}, {Each: true},
		{Count: 3}, {Versions: []Version{{1, 2}, {300, -5}}}, {Versions: []Version{{1, 2}}},
	}
	seen := map[string]int{}
	for i, want := range answers {
		text := want.Encode()
		if j, known := seen[text]; known {
			t.Errorf("%+v and %+v have the same encoding", want, answers[j])
		}
		seen[text] = i
		if got, err := Decode(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	for _, text := range []string{"", "x", "\x00\x00\x05ab"} {
		if _, err := Decode(text); err == nil {
			t.Errorf("%q is no error", text)
		}
	}
}

// TestSame: requests that differ in anything are not the same.
func TestSame(t *testing.T) {
	q := Request{}
	v := reflect.ValueOf(&q).Elem()
	for _, field := range reflect.VisibleFields(v.Type()) {
		if field.Anonymous {
			continue
		}
		f, name := v.FieldByIndex(field.Index), field.Name
		switch f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int, reflect.Int32:
			f.SetInt(1)
		case reflect.Uint8, reflect.Uint32:
			f.SetUint(1)
		case reflect.String:
			f.SetString("x")
		case reflect.Struct:
			q.Row.Value = 1
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Pointer:
			f.Set(reflect.ValueOf(&Range{}))
		case reflect.Func: // Text tells conditions apart
			continue
		default:
			t.Fatalf("the test leaves out %s", name)
		}
		if q.Same(&Request{}) {
			t.Errorf("requests with different %s are the same", name)
		}
		f.SetZero()
	}
	if !q.Same(&Request{}) {
		t.Error("equal requests are not the same")
	}
}

// TestSameRange: ranges that differ in anything are not the same.
func TestSameRange(t *testing.T) {
	one, q := &Request{InTrees: InTrees{Range: &Range{}}}, &Request{InTrees: InTrees{Range: &Range{}}}
	v := reflect.ValueOf(q.Range).Elem()
	for _, field := range reflect.VisibleFields(v.Type()) {
		if field.Anonymous {
			continue
		}
		f, name := v.FieldByIndex(field.Index), field.Name
		switch f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Uint8:
			f.SetUint(1)
		case reflect.Slice:
			f.Set(reflect.ValueOf([]int{}))
		default:
			t.Fatalf("the test leaves out %s", name)
		}
		if q.Same(one) {
			t.Errorf("ranges with different %s are the same", name)
		}
		f.SetZero()
	}
	if !q.Same(one) {
		t.Error("equal ranges are not the same")
	}
}
