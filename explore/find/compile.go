package find

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/program/load"
)

// A generated program that does not compile is left out: the others run all the same.

// mostBuilds bounds how often a file is built again without what does not compile.
const mostBuilds = 4

// compiled builds the file of all plans, without those that do not compile; these are told why. There are no
// names when none is left.
func (r *runner) compiled(ctx context.Context, file *generate.File) error {
	for try := 1; ; try++ {
		text, err := file.Source()
		if err != nil {
			return fmt.Errorf("the generated file is wrong, please report it: %w", err)
		}
		r.names = nil
		for _, p := range r.plans {
			for _, program := range p.programs {
				r.names = append(r.names, program.Name)
			}
		}
		err = r.build(ctx, file, text)
		said := (*load.ToolError)(nil)
		if err == nil || !errors.As(err, &said) || try == mostBuilds {
			return err
		}
		wrong := blamed(said.Output, string(text))
		if len(wrong) == 0 {
			return err
		}
		for _, p := range r.plans {
			for _, program := range p.programs {
				if why, is := wrong[program.Name]; is {
					p.programs, p.why = nil, "it does not compile: "+why
					break
				}
			}
		}
		if file = r.file(r.plans); file == nil {
			r.names = nil
			return nil
		}
	}
}

// complaint matches the compiler's words about a generated file.
var complaint = regexp.MustCompile(`(?m)find[^/:\s]*\.go:(\d+):(?:\d+:)? (.*)$`)

// blamed are the functions of a file of which the compiler complains, with its words.
func blamed(output, text string) map[string]string {
	lines, wrong := strings.Split(text, "\n"), map[string]string{}
	for _, m := range complaint.FindAllStringSubmatch(output, -1) {
		n, err := strconv.Atoi(m[1])
		for n = min(n, len(lines)) - 1; err == nil && n >= 0; n-- {
			if rest, ok := strings.CutPrefix(lines[n], "func Explore"); ok {
				name, _, _ := strings.Cut(rest, "(")
				wrong["Explore"+name] = m[2]
				break
			}
		}
	}
	return wrong
}
