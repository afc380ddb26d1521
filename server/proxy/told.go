package proxy

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// How far are two outcomes from each other? An outcome consists of parts: each answer of
// each session, and each row that is left. The parts that only one has are the difference.

// told is an outcome, and its parts for comparison.
type told struct {
	report.Outcome
	parts []part
}

// part is an answer, or a row. Parts of the same name are in the order of their names' parts.
type part struct{ what, value string }

// tell puts an execution into words.
func tell(c *program.Client, e report.Execution, ends []*behaviour.Node) told {
	t := told{Outcome: report.Outcome{Execution: e, Saw: saw(c, ends)}}
	for i, end := range ends {
		answers, words := 0, ""
		for _, n := range end.Path() {
			for _, event := range n.Events {
				text, _ := c.Value(event.Val).(string)
				switch {
				case event.Kind == behaviour.AnswerEvent && !strings.HasPrefix(event.Text, "OK"): // MySQL's, whose packets say more
					words = strings.TrimPrefix(event.Text, "!")
				case event.Kind == behaviour.ShownEvent && text != "":
					answers++
					value := strings.TrimSpace(words + " " + readable(text))
					t.parts = append(t.parts, part{fmt.Sprintf("%s, answer %d", c.SessionName(i), answers), value})
					words = ""
				}
			}
		}
	}
	for _, row := range e.Left {
		t.parts = append(t.parts, part{"left", unmade(row.Key) + " = " + unmade(row.Value)})
	}
	return t
}

// differences are the parts that only one of two outcomes has.
func differences(model, server *told) (list []report.Different) {
	mine := map[string][]string{}
	var names []string
	for _, p := range model.parts {
		if mine[p.what] == nil {
			names = append(names, p.what)
		}
		mine[p.what] = append(mine[p.what], p.value)
	}
	for _, p := range server.parts {
		if at := slices.Index(mine[p.what], p.value); at >= 0 {
			mine[p.what] = slices.Delete(mine[p.what], at, at+1)
			continue
		}
		list = append(list, report.Different{What: p.what, Server: p.value})
	}
	for _, name := range names {
		for _, value := range mine[name] {
			at := slices.IndexFunc(list, func(d report.Different) bool { return d.What == name && d.Model == "" })
			if at < 0 {
				at = len(list)
				list = append(list, report.Different{What: name})
			}
			list[at].Model = value
		}
	}
	return list
}

// readable are the rows that a client has seen, for people: numbers in PostgreSQL's binary
// form as numbers.
func readable(seen string) string {
	var values []string
	if _, ok := wire.Changed(seen, func(value []byte) string {
		values = append(values, readableValue([]byte(unmadeValue(value))))
		return ""
	}); !ok {
		return strings.Join(strings.FieldsFunc(unmade(seen), func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }), " ")
	}
	return strings.Join(values, ", ")
}

func readableValue(value []byte) string {
	printable := utf8.Valid(value) && !slices.ContainsFunc([]rune(string(value)), func(r rune) bool { return !unicode.IsPrint(r) })
	switch n := len(value); {
	case printable:
		return string(value)
	case n == 1:
		return fmt.Sprint(value[0])
	case n == 2:
		return fmt.Sprint(int16(binary.BigEndian.Uint16(value)))
	case n == 4:
		return fmt.Sprint(int32(binary.BigEndian.Uint32(value)))
	case n == 8:
		return fmt.Sprint(int64(binary.BigEndian.Uint64(value)))
	}
	return hex.EncodeToString(value)
}
