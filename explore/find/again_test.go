package find

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// The command that a report names finds the same bugs by the same numbers: all flags that decide what is found are in it, and
// none that has its default.
func TestAgain(t *testing.T) {
	for said, want := range map[string]string{
		"":                                "txmc find",
		"./...|-v|--no-fix|--format=json": "txmc find ./...",
		"./a b|--db=mysql|--iso=repeatable read|--schema=a.sql|--schema=it's.sql|--seed=s.sql|--new=New|--tags=x": `txmc find './a b' --db=mysql --iso='repeatable read' --schema=a.sql --schema='it'\''s.sql' --seed=s.sql --new=New --tags=x`,
		"--run=^(Buy$|--length=3|--calls=3|--no-whole|--budget=0":                                                 "txmc find --length=3 --calls=3 --no-whole --run='^(Buy$' --budget=0s",
	} {
		var c Command
		parser, err := kong.New(&c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(strings.FieldsFunc(said, func(r rune) bool { return r == '|' })); err != nil {
			t.Fatal(err)
		}
		if got := c.again(); got != want {
			t.Errorf("%s: %s, not %s", said, got, want)
		}
	}
}
