package ci

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// explained is a violation with all that a report says of one.
func explained(t *testing.T) *report.Violation {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "explained.json"))
	if err != nil {
		t.Fatal(err)
	}
	v := &report.Violation{}
	if err := report.Parse(data, v); err != nil {
		t.Fatal(err)
	}
	for i := range v.Failures {
		v.Failures[i].At = strings.Replace(v.Failures[i].At, "bank.go", "shop/my bank.go", 1)
	}
	return v
}

// filled is a log with a result of each kind.
func filled(t *testing.T) *Log {
	t.Helper()
	l, v := &Log{Version: "txmc v1"}, explained(t)
	result := report.Result{Type: report.TypeResult, Schema: report.Schema, Package: v.Package, Program: v.Program, Engine: "swap", Seconds: 0.25}
	ok, failed, incomplete := result, result, result
	ok.Iso, ok.Base, ok.Histories, ok.EndStates, ok.Complete = "ser", "cc", 2, 3, true
	failed.Iso, failed.Base, failed.Violations, failed.Stopped = v.Iso, "cc", 1, "violation"
	incomplete.Iso, incomplete.Base, incomplete.Stopped = "rc", "rc", "interrupt"
	l.Violation(v)
	l.Result(&failed)
	l.Result(&ok)
	l.Result(&incomplete)
	l.Error(&report.Error{Type: report.TypeError, Schema: report.Schema, Package: "example.com/shop", Program: "ExploreTwo", Kind: "nondeterminism",
		Session: "a", Message: "it reads \"x\" once & <y> then:\x01\n100%", At: "shop/two.go:7"})
	return l
}

// Verdicts on recorded histories: a violation is a result, a failure and an annotation,
// what is undecided a warning and an error, and what holds a case.
func TestJudged(t *testing.T) {
	t.Parallel()
	l := &Log{Version: "txmc v1"}
	violated := &Judged{File: "logs/my run.edn", Iso: "si", Outcome: Violated, Anomaly: "write skew", At: "logs/my run.edn:7", Why: "  why & how\n", Seconds: 0.5, Violation: explained(t)}
	l.Judged(&Judged{File: "logs/my run.edn", Iso: "rc", Say: "ok"})
	l.Judged(violated)
	l.Judged(&Judged{File: "logs/b.edn", Iso: "ser", Outcome: Undecided, Say: "UNDECIDED  logs/b.edn  iso=ser  no time\n"})
	l.Error(&report.Error{Program: "logs/c.edn", Kind: "unreadable", Message: "the file ends early", At: "logs/c.edn:3"})
	for format, name := range map[string]string{"sarif": "judged.sarif", "junit": "judged.xml"} {
		var b bytes.Buffer
		if err := l.Write(format, &b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
	if got, want := GitHubJudged(violated), "::error file=logs/my run.edn,line=7,title=logs/my run.edn at si::violated: write skew\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := GitHubJudged(&Judged{File: "a", Iso: "rc"}); got != "" {
		t.Errorf("got %q where nothing is wrong", got)
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// SARIF has what the format requires: each result a rule that exists, a location with a
// URI, a fingerprint; and the document is JSON.
func TestSARIF(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := filled(t).Write("sarif", &b); err != nil {
		t.Fatal(err)
	}
	golden(t, "log.sarif", b.Bytes())
	var log sarifLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil || log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatal(log.Version, err)
	}
	run := log.Runs[0]
	if len(run.Results) != 2 || run.Invocations[0].Successful || len(run.Invocations[0].Notifications) != 2 {
		t.Errorf("%d results, %+v", len(run.Results), run.Invocations)
	}
	for _, r := range run.Results {
		if rule := run.Tool.Driver.Rules[r.RuleIndex]; rule.ID != r.RuleID {
			t.Errorf("rule %d is %s, not %s", r.RuleIndex, rule.ID, r.RuleID)
		}
		if len(r.Locations) != 1 || r.Locations[0].Physical.Region.StartLine == 0 || strings.Contains(r.Locations[0].Physical.Artifact.URI, " ") {
			t.Errorf("location %+v", r.Locations)
		}
		if len(r.Fingerprints["txmcCause/v1"]) != 32 {
			t.Errorf("fingerprint %v", r.Fingerprints)
		}
	}
}

// A fingerprint is of what is wrong, wherever it stands in its file; other causes have
// others.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	v := explained(t)
	was := violationResult(v).Fingerprints["txmcCause/v1"]
	v.Failures[0].At = "shop/my bank.go:999"
	if is := violationResult(v).Fingerprints["txmcCause/v1"]; is != was {
		t.Error("another line has another fingerprint")
	}
	v.Explanation.Words.Title = "something else"
	if is := violationResult(v).Fingerprints["txmcCause/v1"]; is == was {
		t.Error("another anomaly has the same fingerprint")
	}
}

// JUnit's XML is well formed whatever a message holds, and counts what failed.
func TestJUnit(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := filled(t).Write("junit", &b); err != nil {
		t.Fatal(err)
	}
	golden(t, "junit.xml", b.Bytes())
	var suites junitSuites
	if err := xml.Unmarshal(b.Bytes(), &suites); err != nil {
		t.Fatal(err)
	}
	tests, failures, errors := 0, 0, 0
	for _, s := range suites.Suites {
		tests, failures, errors = tests+s.Tests, failures+s.Failures, errors+s.Errors
	}
	if tests != 4 || failures != 1 || errors != 2 {
		t.Errorf("%d tests, %d failures, %d errors", tests, failures, errors)
	}
}

// An annotation is one line, with what separates its parts escaped.
func TestGitHub(t *testing.T) {
	t.Parallel()
	got := GitHubViolation(explained(t)) +
		GitHubError(&report.Error{Program: "ExploreTwo", Message: "100%\nof it: a, b", At: "a,b:c/two.go:7"}) +
		GitHubError(&report.Error{Message: "nowhere"})
	golden(t, "github.txt", []byte(got))
	for line := range strings.Lines(got) {
		if !strings.HasPrefix(line, "::error ") {
			t.Errorf("%q is no annotation", line)
		}
	}
}
