package find

import (
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
)

// Each session has a database of its own in the variable in which the application has one.
func TestGlobals(t *testing.T) {
	t.Parallel()
	r := find(t, Options{Config: load.Config{Dir: "globals"}, Level: isolation.PgRC, Run: true, Extent: Extent{Whole: true}})
	var found []string
	for _, f := range r.Findings {
		found = append(found, f.Rank.String()+" "+f.Calls[0]+" "+f.Calls[1])
	}
	want := []string{"data lost OrderService.Buy OrderService.Buy", "data lost OrderService.Buy Take"}
	if slices.Sort(found); !slices.Equal(found, want) {
		t.Errorf("%q, not %q; %+v", found, want, r.Unconfirmed)
	}
}

// Arguments may be of types that are made of others.
func TestKinds(t *testing.T) {
	t.Parallel()
	r := find(t, Options{Config: load.Config{Dir: "kinds"}, Level: isolation.PgRC, Run: true, Extent: Extent{Whole: true}})
	var found []string
	for _, f := range r.Findings {
		found = append(found, f.Rank.String()+" "+f.Calls[0]+" "+f.Calls[1])
	}
	want := []string{"data lost Add Add", "data lost Tag Tag", "data lost Take Take"}
	if slices.Sort(found); !slices.Equal(found, want) {
		t.Errorf("%q, not %q; %+v", found, want, r.Unconfirmed)
	}
}
