package format

import (
	"strconv"

	"github.com/txmc/txmc/history"
)

// Values as files have them.

// number is a number as a value.
func number(n int64) history.Value { return history.Value{Num: n} }

// numberOr is a number, or the initial value where that is what n stands for.
func numberOr(n, initial int64) history.Value {
	if n == initial {
		return history.Value{Kind: history.Initial}
	}
	return number(n)
}

// text is the number that s is, or a text.
func text(s string) history.Value {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && strconv.FormatInt(n, 10) == s {
		return number(n)
	}
	return history.Value{Text: s, Kind: history.Text}
}
