package rows

import (
	"fmt"
	"maps"
	"testing"
)

// What a content's columns are rendered as is found again, whatever stands in the texts.
func TestColumns(t *testing.T) {
	for _, c := range []Content{
		{"id": 1, "bal": -3.5, "who": "ann", "gone": nil, "ok": true},
		{"id": 1, "empty": "", "spaces": "ann lee", "quotes": `a "b" c`, "signs": "{id:2 x:3}", "last": "]"},
		{"z": "id:5", "a": "x\nid:6", "id": 7},
		{},
	} {
		want := map[string]string{}
		for name, v := range c {
			one := Content{name: v}.String()
			want[name] = one[len(name)+2 : len(one)-1]
		}
		if got := Columns(c.String()); !maps.Equal(got, want) {
			t.Errorf("%v: %q, not %q", c, got, want)
		}
	}
	for _, cut := range []string{"", "{", "{id", "{id:", `{id:1 who:"ann`, "id:1}"} {
		for name, v := range Columns(cut) {
			if fmt.Sprint(name, v) == "" {
				t.Errorf("%q has a column without a name and a text", cut)
			}
		}
	}
}
