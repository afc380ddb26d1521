package find

import (
	"slices"

	"github.com/txmc/txmc/explore/find/configure"
	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/find/source"
)

// callable leaves out the calls that no program can make, as nothing makes their receiver or an argument: their structures would
// be looked for, and none could be run.
func (f *finding) callable() {
	if !f.Run {
		return
	}
	cannot := map[*source.Call]bool{}
	for _, c := range slices.Concat(f.program.Calls, f.program.Open) {
		if cannot[c] {
			continue
		}
		config := configure.Alone(c, nil, f.catalog, 1, "-- there are no rows\n")
		err := f.newFile("callable").Add(generate.Program{Name: "ExploreCall", Config: config, Variant: configure.Mark(1)})
		if err == nil {
			continue
		}
		cannot[c] = true
		f.unknown(c.At, "what it does is not looked at, as it cannot be run: "+err.Error())
	}
	f.program.Calls = slices.DeleteFunc(f.program.Calls, func(c *source.Call) bool { return cannot[c] })
	f.program.Open = slices.DeleteFunc(f.program.Open, func(c *source.Call) bool { return cannot[c] })
	f.program.Nest()
}
