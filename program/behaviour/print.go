package behaviour

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Values are printed much as %+v prints them, with a few differences. A pointer is
// printed as the value that it points to: so the text is the same in every run. Bytes
// that are text are printed as text. What is not printable is quoted. Long texts are
// cut. Methods of the user's, such as String, have a time limit, for nothing can end
// one that loops.

const (
	// longText is how many bytes of a text are printed; of a longer one shortText
	// are, with its length and a hash.
	longText, shortText = 1024, 200
	// longMessage and shortMessage say the same of messages.
	longMessage, shortMessage = 2048, 1024
	// methodPatience is how long a method of the user's may take to make a text.
	methodPatience = time.Second
)

// Format renders a value for reports.
func (t *Values) Format(id ValueID) string {
	if text, ok := t.printed.Load(id); ok {
		return text.(string)
	}
	t.mu.RLock()
	m := t.masters[id]
	t.mu.RUnlock()
	p := printer{forms: t.forms}
	text := p.text(m.value)
	if short := Cut(text); p.called || len(short) < len(text) {
		text = short
		t.printed.Store(id, text)
	}
	return text
}

// Cut returns the text of a value, or of a long one its beginning with its length
// and a hash.
func Cut(text string) string { return cut(text, longText, shortText) }

// CutMessage is Cut for messages of errors, which people write: longer ones pass.
func CutMessage(text string) string { return cut(text, longMessage, shortMessage) }

// cut keeps short bytes of a text of more than long.
func cut(text string, long, short int) string {
	if len(text) <= long {
		return text
	}
	end := short
	for end > short-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	head := text[:end]
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%s… (%d bytes, sha256 %x)", head, len(text), sum[:6])
}

// ShownKey returns a key as reports show it.
func ShownKey(key string) string { return Cut(printable(key)) }

// printable is s, or s quoted when it would not be read as it is.
func printable(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' || r == utf8.RuneError }) < 0 {
		return s
	}
	return strconv.Quote(s)
}

// printer prints one value.
type printer struct {
	forms  *forms
	b      strings.Builder
	called bool // a method of the user's
}

func (p *printer) text(v any) string {
	if v == nil {
		return "nil"
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.String && p.forms.of(r.Type()) == structural && !p.speaks(r) {
		return strconv.Quote(r.String())
	}
	p.value(r)
	return p.b.String()
}

func (p *printer) value(v reflect.Value) {
	if p.spoken(v) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		p.b.WriteString(printable(v.String()))
	case reflect.Struct:
		p.structure(v)
	case reflect.Slice, reflect.Array:
		p.elements(v)
	case reflect.Map:
		p.mapping(v)
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			p.b.WriteString("<nil>")
			return
		}
		if v.Kind() == reflect.Pointer {
			p.b.WriteByte('&')
		}
		p.value(v.Elem())
	default:
		p.b.WriteString(basic(v))
	}
}

// basic prints numbers and truth values, without methods.
func basic(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.Kind() == reflect.Float32:
		return fmt.Sprint(float32(v.Float()))
	case v.Kind() == reflect.Complex64:
		return fmt.Sprint(complex64(v.Complex()))
	case v.CanFloat():
		return fmt.Sprint(v.Float())
	}
	return fmt.Sprint(v.Complex())
}

func (p *printer) structure(v reflect.Value) {
	if !v.CanAddr() {
		v = addressable(v)
	}
	p.b.WriteByte('{')
	for i := range v.NumField() {
		if i > 0 {
			p.b.WriteByte(' ')
		}
		p.b.WriteString(v.Type().Field(i).Name + ":")
		p.value(exported(v.Field(i)))
	}
	p.b.WriteByte('}')
}

// elements prints bytes that are text as text: a json.RawMessage as it is, others
// quoted.
func (p *printer) elements(v reflect.Value) {
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 && v.Len() > 0 {
		s := string(v.Bytes())
		if printable(s) == s {
			if v.Type() != reflect.TypeFor[json.RawMessage]() {
				s = strconv.Quote(s)
			}
			p.b.WriteString(s)
			return
		}
	}
	p.b.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			p.b.WriteByte(' ')
		}
		p.value(v.Index(i))
	}
	p.b.WriteByte(']')
}

// mapping prints the entries by their keys: numbers by size, others by their texts.
func (p *printer) mapping(v reflect.Value) {
	type entry struct {
		key         reflect.Value
		text, value string
	}
	apart := func(v reflect.Value) string {
		sub := printer{forms: p.forms}
		sub.value(v)
		p.called = p.called || sub.called
		return sub.b.String()
	}
	var list []entry
	for it := v.MapRange(); it.Next(); { // a key that is NaN cannot be looked up
		list = append(list, entry{it.Key(), apart(it.Key()), apart(it.Value())})
	}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(byNumber(a.key, b.key), strings.Compare(a.text, b.text), strings.Compare(a.value, b.value))
	})
	p.b.WriteString("map[")
	for i, e := range list {
		if i > 0 {
			p.b.WriteByte(' ')
		}
		p.b.WriteString(e.text + ":" + e.value)
	}
	p.b.WriteByte(']')
}

// byNumber compares numbers of one kind; others are equal to it.
func byNumber(a, b reflect.Value) int {
	switch {
	case a.Kind() != b.Kind():
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	}
	return 0
}

// speaks reports whether v has a text of its own.
func (p *printer) speaks(v reflect.Value) bool {
	t := v.Type()
	return t.Implements(reflect.TypeFor[fmt.Stringer]()) || t.Implements(reflect.TypeFor[error]()) || t.Implements(reflect.TypeFor[fmt.Formatter]())
}

// spoken prints the text that v has of itself, if it has one and makes it in time.
func (p *printer) spoken(v reflect.Value) bool {
	if v.Type().PkgPath() == "" || v.Kind() == reflect.Interface {
		return false // what it holds speaks
	}
	if !v.CanAddr() {
		v = addressable(v)
	}
	var say func() string
	switch {
	case p.forms.of(v.Type()) == textual:
		say = func() string { return marshaledText(v) }
	case p.speaks(v):
		say = func() string { return said(v.Interface()) }
	case p.speaks(v.Addr()) && p.forms.of(v.Type()) == binaryForm:
		say = func() string { return said(v.Addr().Interface()) }
	default:
		return false
	}
	p.called = true
	text, ok := p.forms.inTime(v.Type(), say)
	if ok {
		p.b.WriteString(printable(text))
	}
	return ok
}

// said is what %+v prints of a value that has a text of its own. It panics where the value's
// method does: fmt would print the panic, which is the same for all values.
func said(v any) string {
	switch v := v.(type) {
	case fmt.Formatter:
		return fmt.Sprintf("%+v", v)
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprintf("%+v", v)
}

// marshaledText is what MarshalText makes, or an error's words.
func marshaledText(v reflect.Value) string {
	data, err := textual.marshal(v)
	if err != nil {
		return fmt.Sprintf("!(%v)", err)
	}
	return string(data)
}

// inTime calls a method of type t; false when it panics or takes too long, and when
// one of that type did so before.
func (f *forms) inTime(t reflect.Type, say func() string) (text string, ok bool) {
	if _, mute := f.mute.Load(t); mute {
		return "", false
	}
	done := make(chan string, 1)
	go func() {
		defer close(done)
		defer func() { _ = recover() }()
		done <- say()
	}()
	late := time.NewTimer(methodPatience)
	defer late.Stop()
	select {
	case text, ok = <-done:
	case <-late.C:
	}
	if !ok {
		f.mute.Store(t, true)
	}
	return text, ok
}
