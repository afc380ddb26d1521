package client_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/table"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		text string
		want [][]string
	}{
		{"", nil},
		{"\n  \n", nil},
		{"enroll 1 2\r\ngetEnrollments", [][]string{{"enroll", "1", "2"}, {"getEnrollments"}}},
		{`orderStatus 0  1 "Patin Piti" false`, [][]string{{"orderStatus", "0", "1", "Patin Piti", "false"}}},
		{`createNewOrder [1, 2] [0,0] ""`, [][]string{{"createNewOrder", "[1, 2]", "[0,0]", ""}}},
	} {
		lines, err := client.Parse("thread1.in", test.text)
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
		}
		var got [][]string
		for _, l := range lines {
			got = append(got, l.Words)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q: %s", test.text, diff)
		}
	}
}

func app() *client.App {
	return &client.App{
		Name:   "shop",
		Schema: []table.Schema{{Table: "T", File: "rows", Key: []int{0, 1}}},
		Txns: map[string]client.Txn{
			"buy": func(a *client.Args) client.Body {
				a.Word()
				a.Int()
				a.List()
				a.Bool()
				return func(table.Tx) error { return nil }
			},
		},
	}
}

func TestErrorsSayWhere(t *testing.T) {
	for text, want := range map[string]string{
		"buy x 1 [] true\nsell x": `shop/case1/thread1.in:2: shop has no transaction "sell": it has buy`,
		"buy x":                   "shop/case1/thread1.in:1: buy: argument 2 is missing",
		"buy x y [] true":         `shop/case1/thread1.in:1: buy: argument 2: "y" is not a whole number`,
		"buy x 1 a] true":         `shop/case1/thread1.in:1: buy: argument 3: "a]" is not a list in brackets`,
		"buy x 1 [] maybe":        `shop/case1/thread1.in:1: buy: argument 4: "maybe" is neither true nor false`,
		"buy x 1 [] true 5":       "shop/case1/thread1.in:1: buy takes 4 arguments, got 5",
		`buy "x`:                  `shop/case1/thread1.in:1: a word that begins with " does not end with one`,
		"buy [x":                  "shop/case1/thread1.in:1: a list that begins with [ does not end with ]",
		`buy "x"y`:                `shop/case1/thread1.in:1: a space is missing before "y"`,
	} {
		fsys := fstest.MapFS{"shop/case1/thread1.in": {Data: []byte(text)}}
		c, err := client.Read(fsys, "shop/case1")
		if err == nil {
			_, err = client.Bind(app(), nil, c)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := client.Read(fstest.MapFS{}, "shop/case1"); err == nil {
		t.Error("no error for a client without files")
	}
}

func TestReadDatabase(t *testing.T) {
	fsys := fstest.MapFS{"db/rows.in": {Data: []byte("1;2;x\n\n3;4;y\n")}}
	rows, err := client.ReadDatabase(fsys, "db", app())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]table.Row{"1;2;x", "3;4;y"}, rows["rows"]); diff != "" {
		t.Error(diff)
	}
	fsys["db/rows.in"].Data = []byte("1;2\n3\n")
	if _, err := client.ReadDatabase(fsys, "db", app()); err == nil || !strings.HasPrefix(err.Error(), "db/rows.in:2: ") {
		t.Errorf("%v", err)
	}
	delete(fsys, "db/rows.in")
	if _, err := client.ReadDatabase(fsys, "db", app()); err == nil || !strings.Contains(err.Error(), "table T") {
		t.Errorf("%v", err)
	}
}

// FuzzParse: whatever a file holds, parsing ends without a panic, and no word has
// a space unless it is quoted or in brackets.
func FuzzParse(f *testing.F) {
	f.Add("enroll 1 2\n")
	f.Add(`a "b c" [d e]`)
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := client.Parse("thread1.in", text)
		if err != nil {
			return
		}
		for _, l := range lines {
			if len(l.Words) == 0 {
				t.Error("a line without words")
			}
		}
	})
}
