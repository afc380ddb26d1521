package explore

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/program/behaviour"
)

// An error that a limit makes says how to raise it, where that can be done.
func TestLimitOfError(t *testing.T) {
	t.Parallel()
	err := &behaviour.Error{Kind: behaviour.Stalled, Message: "too slow", Limit: "patience"}
	nobody := func(option, _ string) string { return "" }
	for want, naming := range map[string]Naming{"too slow; with a higher --patience it has more time": Flags, "too slow": nobody} {
		r := &Run{Naming: naming}
		if got := r.problem("ExploreBank", "si", err).Message; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := (&Run{}).problem("ExploreBank", "si", &behaviour.Error{Kind: behaviour.Unbounded, Message: "long"}).Message; !strings.Contains(got, "raise --max-ops") {
		t.Error(got)
	}
}
