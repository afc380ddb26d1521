package harness

import (
	"bytes"
	"strings"
	"testing"
)

// Before the harness turns to a program there is no progress: on a busy machine that may be
// long after the first beat.
func TestNothingBeforeTheFirstTurn(t *testing.T) {
	var b bytes.Buffer
	s := &sink{out: newStream(&b)}
	s.progress()
	if b.Len() > 0 {
		t.Errorf("it says %s", &b)
	}
	s.Turn("ExploreOne", "cc", nil)
	if got := b.String(); !strings.HasPrefix(got, `{"type":"progress","program":"ExploreOne"`) {
		t.Errorf("it says %s", got)
	}
}
