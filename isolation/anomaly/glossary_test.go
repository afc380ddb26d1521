package anomaly

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every short name of an anomaly is in the glossary, and the page of the
// documentation has all of it.
func TestGlossary(t *testing.T) {
	page, err := os.ReadFile("../../docs/anomalies.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, term := range Terms() {
		known[term.Word] = true
		if !strings.Contains(string(page), "| `"+term.Word+"` | "+term.Meaning+" |") {
			t.Errorf("docs/anomalies.md does not say what %s means, as the glossary does", term.Word)
		}
	}
	short := regexp.MustCompile(`^[A-Z]+[0-9-][\w-]*$`)
	for _, a := range []Anomaly{
		abortedRead, thinAirRead, circular, nonMonotonicRead, nonMonotonicSession, nonRepeatableRead, eitherHalf, fracturedRead, ownWriteMissed,
		staleRead, causalityViolation, monotonicWrites, writesFollowReads, writeCycle, informationCycle, readSkew, longFork, storeBuffering,
		prefixViolation, lostUpdate, writeConflict, snapshotViolation, writeSkew, phantom, phantomSkew, readOnlyAnomaly, serializationCycle,
	} {
		if !strings.Contains(string(page), "| "+a.Name+" | "+a.Aka+" | "+a.Definition+" |") {
			t.Errorf("docs/anomalies.md does not define %s as reports do", a.Name)
		}
		for word := range strings.SplitSeq(a.Aka, ", ") {
			if short.MatchString(word) && !known[word] {
				t.Errorf("the glossary does not have %s", word)
			}
		}
	}
}
