package find

import (
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
)

// What handles requests is a call, with what it asks of them as arguments, unless another call does what it does.
func TestRequests(t *testing.T) {
	t.Parallel()
	r := find(t, Options{Config: load.Config{Dir: "requests"}, Level: isolation.PgRC, Run: true, Extent: Extent{Whole: true}})
	var found, calls []string
	for _, f := range r.Findings {
		found = append(found, f.Rank.String()+" "+f.Calls[0]+" "+f.Calls[1])
	}
	want := []string{"data lost Server.Count Server.Count", "data lost Server.Login Server.Login", "data lost Server.Withdraw Server.Add", "data lost Server.Withdraw Server.Withdraw", "data lost Turns Turns"}
	if slices.Sort(found); !slices.Equal(found, want) {
		t.Errorf("%q, not %q; %+v, %v", found, want, r.Unconfirmed, r.Unknown)
	}
	for _, c := range r.Calls {
		calls = append(calls, c.Name)
	}
	if want := []string{"Server.Withdraw", "Server.Count", "Server.Add", "Server.Login", "Turns"}; !slices.Equal(calls, want) {
		t.Errorf("%q are looked at, not %q", calls, want)
	}
}
