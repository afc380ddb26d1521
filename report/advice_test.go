package report_test

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/report"
)

// An advice that is not complete says that there are limits, as who has asked names them.
func TestAdviceLimit(t *testing.T) {
	for limit, want := range map[string]string{"": "some were not decided\n", "txmc.Timeout(1m)": "were not decided within the limits, such as txmc.Timeout(1m)\n"} {
		text := &report.Text{Limits: map[string]string{"timeout": limit}}
		got := text.Advice(&report.Advice{Program: "ExploreBank", Explored: 2, All: 9})
		if !strings.Contains(strings.Join(strings.Fields(got), " ")+"\n", want) {
			t.Errorf("%q: %s", limit, got)
		}
	}
}
