package report

import (
	"strings"
	"unicode"
)

// wide are characters that take two columns of a terminal: scripts of East Asia
// and emoji, as far as they matter for names and values (Unicode Standard Annex
// 11, East Asian Width W and F).
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, // Hangul, initial consonants
		{Lo: 0x2705, Hi: 0x2705, Stride: 1}, {Lo: 0x274c, Hi: 0x274c, Stride: 1}, {Lo: 0x2b50, Hi: 0x2b50, Stride: 1},
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1}, {Lo: 0x3041, Hi: 0x4dbf, Stride: 1}, // radicals, kana, Han
		{Lo: 0x4e00, Hi: 0xa4cf, Stride: 1}, // Han, Yi
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, // Hangul
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1}, {Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff00, Hi: 0xff60, Stride: 1}, {Lo: 0xffe0, Hi: 0xffe6, Stride: 1}, // full width
	},
	R32: []unicode.Range32{
		{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1}, {Lo: 0x1f680, Hi: 0x1f6ff, Stride: 1}, {Lo: 0x1f900, Hi: 0x1faff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1}, // Han
	},
}

// cells counts the columns of a terminal that s takes.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n += runeCells(r)
	}
	return n
}

func runeCells(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0 // marks on the character before, joiners
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// first is as much of s as fits into w columns.
func first(s string, w int) string {
	for i, r := range s {
		if w -= runeCells(r); w < 0 {
			return s[:i]
		}
	}
	return s
}

// pad cuts s to w columns or fills it up.
func pad(s string, w int) string {
	n := cells(s)
	if n > w {
		s = first(s, max(w-1, 0)) + "…"
		n = cells(s)
	}
	return s + strings.Repeat(" ", max(w-n, 0))
}

// oneLine keeps a cell in its row, and a terminal from obeying what a value says.
func oneLine(s string) string {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '⏎'
		case r == '\r':
			return -1
		case r == '\t':
			return ' '
		case unicode.IsControl(r):
			return '·'
		}
		return r
	}, s)
}
