package find

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/source"
)

// What users choose: the calls that are looked at.

// mostNames bounds the calls that an error names.
const mostNames = 12

// choose leaves out calls whose names do not match.
func (f *finding) choose(names *regexp.Regexp) error {
	if names == nil {
		return nil
	}
	var all []string
	other := func(c *source.Call) bool {
		if !slices.Contains(all, c.Name) {
			all = append(all, c.Name)
		}
		return !names.MatchString(c.Name)
	}
	f.program.Calls = slices.DeleteFunc(f.program.Calls, other)
	f.program.Open = slices.DeleteFunc(f.program.Open, other)
	f.program.Nest()
	if len(f.program.Calls)+len(f.program.Open) > 0 || len(all) == 0 {
		return nil
	}
	if n := len(all) - mostNames; n > 0 {
		all = append(all[:mostNames], fmt.Sprintf("and %d more", n))
	}
	return fmt.Errorf("--run: no call matches %s; the calls are %s", names, strings.Join(all, ", "))
}
