package schema

import (
	"regexp"
	"strings"
)

// What a dump has besides statements of SQL: psql's own commands, and rows after COPY. Each line stays a line, so that
// errors name the right one.

// copied matches the statement before rows; its groups are the table and the columns.
var copied = regexp.MustCompile(`(?i)^COPY\s+([^\s(]+)\s*(\([^)]*\))?\s+FROM\s+stdin`)

// mostRows bounds the rows of dumps that are taken, as each is a row in all that runs. Where there are more, none is.
const mostRows = 500

// Plain is a text without psql's commands, with the rows of COPY as statements. Each line stays a line.
func Plain(text string) string { return plain(text, mostRows) }

// plain is Plain, with so many rows at most.
func plain(text string, most int) string {
	if !strings.Contains(text, "\n\\") && !strings.HasPrefix(text, "\\") && !strings.Contains(strings.ToLower(text), "from stdin") {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	kept := make([]string, len(lines))
	var filled []int // lines of rows
	into := ""
	for i, line := range lines {
		bare := strings.TrimRight(line, "\r\n")
		m := copied.FindStringSubmatch(bare)
		switch {
		case into != "" && bare == `\.`:
			into = ""
		case into != "":
			kept[i] = into + "(" + values(bare) + ");"
			filled = append(filled, i)
		case m != nil && !strings.Contains(strings.ToUpper(bare), "CSV"):
			into = "INSERT INTO " + m[1] + " " + m[2] + " OVERRIDING SYSTEM VALUE VALUES "
		case strings.HasPrefix(bare, `\`):
		default:
			kept[i] = bare
		}
		kept[i] += line[len(bare):]
	}
	if len(filled) > most {
		for _, i := range filled {
			kept[i] = "\n"
		}
	}
	return strings.Join(kept, "")
}

// values are the columns of a line of COPY's text format, as literals.
func values(line string) string {
	var list []string
	for _, v := range strings.Split(line, "\t") {
		if v == `\N` {
			list = append(list, "NULL")
			continue
		}
		list = append(list, "E'"+strings.ReplaceAll(v, "'", "''")+"'") // both have the same escapes
	}
	return strings.Join(list, ", ")
}
