package report

import "testing"

func TestCells(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "abc": 3, "é": 1, "e\u0301": 1, "←": 1, "─": 1, "批处理": 6, "データ": 6, "데이터": 6, "🎉": 2, "a\u200db": 2, "…": 1, "⏎": 1,
	} {
		if got := cells(s); got != want {
			t.Errorf("%q takes %d columns, want %d", s, got, want)
		}
	}
}

func TestPad(t *testing.T) {
	for _, c := range []struct {
		s    string
		w    int
		want string
	}{
		{"abc", 5, "abc  "}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"批处理", 6, "批处理"}, {"批处理", 5, "批处…"}, {"批处理", 4, "批… "}, {"abc", 0, "…"},
	} {
		if got := pad(c.s, c.w); got != c.want {
			t.Errorf("pad(%q, %d) = %q, want %q", c.s, c.w, got, c.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	if got, want := oneLine("a\r\nb\tc\x1b[31m\x07"), "a⏎b c·[31m·"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
