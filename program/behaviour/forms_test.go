package behaviour_test

import (
	"encoding/json"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/program/behaviour"
)

// amount is a decimal number as such packages make them: a pointer inside, a text
// outside.
type amount struct {
	value *big.Int
	exp   int
}

func (m amount) MarshalText() ([]byte, error) { return m.value.MarshalText() }
func (m *amount) UnmarshalText(b []byte) error {
	m.value = new(big.Int)
	return m.value.UnmarshalText(b)
}

type stamped struct {
	time.Time
	Name string
}

type twig struct {
	Left, Right *twig
	N           int
}

// Equal contents are equal values, whatever pointers lead to them; what comes out is
// a copy.
func TestPointersAndForms(t *testing.T) {
	table := behaviour.NewValueTable()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	link, _ := url.Parse("https://example.com/a?b=c")
	for _, test := range []struct {
		a, b  any
		equal bool
		text  string
	}{
		{&twig{N: 1}, &twig{N: 1}, true, "&{Left:<nil> Right:<nil> N:1}"},
		{&twig{Left: &twig{N: 1}}, &twig{Right: &twig{N: 1}}, false, "&{Left:&{Left:<nil> Right:<nil> N:1} Right:<nil> N:0}"},
		{(*twig)(nil), &twig{}, false, "<nil>"},
		{amount{value: big.NewInt(7), exp: 1}, amount{value: big.NewInt(7), exp: 2}, true, "7"},
		{amount{value: big.NewInt(7), exp: 1}, amount{value: big.NewInt(8), exp: 1}, false, "7"},
		{[]amount{{value: big.NewInt(7), exp: 1}}, []amount{{value: big.NewInt(7), exp: 1}}, true, "[7]"},
		{big.NewInt(5), big.NewInt(5), true, "&5"},
		{netip.MustParseAddr("::1"), netip.MustParseAddr("::1"), true, "::1"},
		{*link, *link, true, "https://example.com/a?b=c"},
		{stamped{Time: at, Name: "a"}, stamped{Time: at, Name: "b"}, false, ""},
		{&at, &at, true, "&2026-01-02 03:04:05 +0000 UTC"},
		{json.RawMessage(`{"a": 1}`), json.RawMessage(`{"a": 2}`), false, `{"a": 1}`},
		{[]byte("text"), []byte("tex"), false, `"text"`},
		{[]byte{0xff, 1}, []byte{0xff}, false, "[255 1]"},
		{"\xff", "\xfe", false, `"\xff"`},
		{[]string{"\xff", "a b"}, []string{"\xfe", "a b"}, false, `["\xff" a b]`},
	} {
		a, b := table.ID(test.a), table.ID(test.b)
		if (a == b) != test.equal {
			t.Errorf("%v and %v: equal %t", test.a, test.b, a == b)
		}
		if text := table.Format(a); test.text != "" && text != test.text {
			t.Errorf("%T is shown as %s, want %s", test.a, text, test.text)
		}
		if table.ID(table.Get(a)) != a {
			t.Errorf("%v comes out as %v", test.a, table.Get(a))
		}
	}
	v := &twig{N: 1}
	id := table.ID(v)
	v.N = 2
	table.Get(id).(*twig).N = 3
	if got := table.Get(id).(*twig).N; got != 1 {
		t.Errorf("a change outside the store shows inside: %d", got)
	}
}

// slow has a String that does not return before the test ends.
type slow struct{ N int }

var released chan struct{}

func (slow) String() string { <-released; return "late" }

type speechless struct{ N int }

func (speechless) String() string { panic("no text") }

// Long texts are cut, with their length and a hash; a String method that loops does
// not stop a report.
func TestShown(t *testing.T) {
	released = make(chan struct{})
	defer close(released)
	table := behaviour.NewValueTable()
	a := table.Format(table.ID(strings.Repeat("é", 100_000)))
	b := table.Format(table.ID(strings.Repeat("é", 99_999) + "e"))
	if len(a) > 300 || !strings.Contains(a, "(200002 bytes, sha256 ") || a == b || strings.ContainsRune(a, '\ufffd') {
		t.Errorf("shown as %s\nand %s", a, b)
	}
	for range 3 {
		if got := table.Format(table.ID([]slow{{N: 1}, {N: 2}})); got != "[{N:1} {N:2}]" {
			t.Errorf("shown as %s", got)
		}
	}
	if got := table.Format(table.ID(speechless{N: 3})); got != "{N:3}" {
		t.Errorf("where String panics it is shown as %s", got)
	}
	nans := map[float64]any{1: "b"}
	for _, n := range []int{2, 1} {
		nans[math.NaN()] = n
	}
	if got := table.Format(table.ID(nans)); got != "map[NaN:1 NaN:2 1:b]" {
		t.Errorf("a map with NaNs is shown as %s", got)
	}
}
