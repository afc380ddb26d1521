package isolation_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// Levels of recorded histories are named where these are judged, and nowhere else.
func TestParseRecorded(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]isolation.Level{
		"sser": {isolation.SSER}, "Strict serializability": {isolation.SSER}, "strict-serializable, ser": {isolation.SSER, isolation.SER},
		"strong-session-si": {isolation.SI}, "strong snapshot isolation": {isolation.SSI}, "linearizable": {isolation.LIN},
		"psi,ua,ryw,mr,mw,wfr": {isolation.PSI, isolation.UA, isolation.RYW, isolation.MR, isolation.MW, isolation.WFR},
		"all":                  isolation.Levels(),
	} {
		if got, err := isolation.ParseRecorded(name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	var unknown *isolation.UnknownLevelError
	for _, l := range isolation.RecordedLevels() {
		if _, err := isolation.ParseList(l.String()); !errors.As(err, &unknown) {
			t.Errorf("%v: %v", l, err)
		}
		if slices.Contains(isolation.Levels(), l) || l.Title() == "" {
			t.Errorf("%v is explored, or has no title", l)
		}
	}
	if _, err := isolation.ParseRecorded("ser,strong"); err == nil {
		t.Error("strong is no level")
	}
}
