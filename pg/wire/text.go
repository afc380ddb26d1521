package wire

import "strings"

// Blank is the length of the white space and the comments that a text begins with.
func Blank(text string) int {
	at := 0
	for {
		rest := strings.TrimLeft(text[at:], " \t\r\n;")
		at = len(text) - len(rest)
		end := ""
		switch {
		case strings.HasPrefix(rest, "--"):
			end = "\n"
		case strings.HasPrefix(rest, "/*"):
			end = "*/"
		default:
			return at
		}
		n := strings.Index(rest, end)
		if n < 0 {
			return len(text)
		}
		at += n + len(end)
	}
}
