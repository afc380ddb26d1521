package find

import (
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
)

// A call that does not find the version of a row that it has read has been refused, where it fails and leaves nothing: that is no
// anomaly. Where it says that it has done its work, or leaves some of it, it is one.
func TestVersions(t *testing.T) {
	t.Parallel()
	r := find(t, Options{Config: load.Config{Dir: "versions"}, Level: isolation.PgRC, Run: true, Extent: Extent{Whole: true}})
	var found []string
	for _, f := range r.Findings {
		if pair := f.Calls[0] + " " + f.Calls[1]; !slices.Contains(found, pair) {
			found = append(found, pair)
		}
	}
	want := []string{"Add Boast", "Add Keep", "Boast Boast", "Boast Keep", "Keep Keep"}
	if slices.Sort(found); !slices.Equal(found, want) {
		t.Errorf("%q, not %q", found, want)
	}
}
