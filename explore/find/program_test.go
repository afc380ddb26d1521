package find

import (
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
)

// The code of a package main is looked at, with what it does not export. Names of generated files are not those of the package.
func TestProgram(t *testing.T) {
	t.Parallel()
	r := find(t, Options{Config: load.Config{Dir: "program"}, Level: isolation.PgRC, Run: true, Extent: Extent{Whole: true}})
	var found []string
	for _, f := range r.Findings {
		found = append(found, f.Rank.String()+" "+f.Calls[0]+" "+f.Calls[1])
	}
	want := []string{"data lost buy buy", "data lost status.visit status.visit"}
	if slices.Sort(found); !slices.Equal(found, want) {
		t.Errorf("%q, not %q; %+v %v", found, want, r.Unconfirmed, r.Unknown)
	}
}
