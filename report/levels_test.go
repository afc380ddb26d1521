package report_test

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/report"
)

// Of a program of which assumptions leave out every history no level is said to be safe.
func TestLevelsWithoutHistories(t *testing.T) {
	for _, iso := range []string{"rc", "pg-rc"} {
		for _, histories := range []int64{0, 2} {
			l := &report.Levels{Program: "ExploreBank", Safe: iso, Results: []report.Result{{Iso: iso, Complete: true, Histories: histories}},
				Assertions: []report.Assertion{{Kind: "final", Name: "sum"}}}
			if histories == 0 {
				l.Results[0].Unchecked = "every history is left out by an assumption"
			}
			got := (&report.Text{}).Levels(l)
			if left := strings.Contains(got, "NOTHING CHECKED: every history is left out by an assumption"); left != (histories == 0) || left == strings.Contains(got, "everything holds") {
				t.Errorf("%s, %d histories:\n%s", iso, histories, got)
			}
		}
	}
}
