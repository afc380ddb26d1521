package requests

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Nodes of YAML are read one by one, so that each mistake has its line and column.

// wrong is a mistake at a node.
func wrong(n *yaml.Node, format string, args ...any) error {
	return &Error{Line: n.Line, Column: n.Column, Message: fmt.Sprintf(format, args...)}
}

func asError(err error, into **Error) bool { return errors.As(err, into) }

// syntaxLine finds the line in an error of the parser.
var syntaxLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

// syntax is an error of the parser, which knows lines only.
func syntax(err error) error {
	text := err.Error()
	f := syntaxLine.FindStringSubmatch(text)
	line, _ := strconv.Atoi(f[1])
	return &Error{Line: max(1, line), Column: 1, Message: "this is no YAML: " + strings.TrimPrefix(text, f[0])}
}

// each calls f for the fields of a mapping, in their order.
func each(n *yaml.Node, what string, f func(name string, v *yaml.Node) error) error {
	n = aliased(n)
	if n.Kind != yaml.MappingNode {
		return wrong(n, "%s: give names and values, as in \"name: value\"", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		if seen[name] {
			return wrong(n.Content[i], "%s: %s is there twice", what, name)
		}
		seen[name] = true
		if err := f(name, aliased(n.Content[i+1])); err != nil {
			return err
		}
	}
	return nil
}

// fields reads a mapping whose fields are known.
func fields(n *yaml.Node, what string, known map[string]func(*yaml.Node) error) error {
	return each(n, what, func(name string, v *yaml.Node) error {
		f := known[name]
		if f == nil {
			at := v
			for i, k := range aliased(n).Content {
				if i%2 == 0 && k.Value == name {
					at = k
				}
			}
			return wrong(at, "%s has no field %q: those that it may have are %s", what, name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		return f(v)
	})
}

// items calls f for each of a list, or for what is alone.
func items(n *yaml.Node, f func(*yaml.Node) error) error {
	if n = aliased(n); n.Kind != yaml.SequenceNode {
		return f(n)
	}
	for _, v := range n.Content {
		if err := f(aliased(v)); err != nil {
			return err
		}
	}
	return nil
}

func aliased(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// text is a scalar.
func text(n *yaml.Node, what string) (string, error) {
	if n = aliased(n); n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return "", wrong(n, "%s: give a text", what)
	}
	return n.Value, nil
}

func duration(n *yaml.Node, what string) (time.Duration, error) {
	s, err := text(n, what)
	if err != nil {
		return 0, err
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, wrong(n, "%s: %q is no time such as 300ms or 5s", what, s)
	}
	return d, nil
}

func number(n *yaml.Node, what string) (int, error) {
	s, err := text(n, what)
	if err != nil {
		return 0, err
	}
	i, err := strconv.Atoi(s)
	if err != nil {
		return 0, wrong(n, "%s: %q is no number", what, s)
	}
	return i, nil
}
