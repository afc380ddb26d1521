package ci

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/txmc/txmc/report"
)

// SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format", 2020): a run with a
// rule for each kind of failure, and a result for each violation. The schedule of a
// violation is its code flow. A result's fingerprint depends on what is broken and why,
// not on lines. So it stays the same when the code around it changes.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	ColumnKind  string            `json:"columnKind"`
	Results     []sarifResult     `json:"results"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version,omitempty"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string       `json:"id"`
	Short   sarifMessage `json:"shortDescription"`
	HelpURI string       `json:"helpUri"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level   string       `json:"level"`
	Message sarifMessage `json:"message"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifMessage      `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	CodeFlows    []sarifFlow       `json:"codeFlows,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifFlow struct {
	Threads []sarifThread `json:"threadFlows"`
}

type sarifThread struct {
	Locations []sarifStep `json:"locations"`
}

type sarifStep struct {
	Location sarifLocation `json:"location"`
}

type sarifLocation struct {
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	Message  *sarifMessage  `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region *sarifRegion `json:"region,omitempty"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

// home is where the documentation of the rules is.
const home = "https://github.com/txmc/txmc"

// rules are what results are about, by their IDs.
var rules = []sarifRule{
	rule("assertion", "An assertion of a session fails in a history that the isolation level allows."),
	rule("final", "A Final fails in a history that the isolation level allows."),
	rule("invariant", "An Invariant fails in a history that the isolation level allows."),
	rule("panic", "A session panics in a history that the isolation level allows."),
	rule("hang", "A statement waits for ever for its own session."),
	rule("kept", "A session ends, and a connection of its own keeps a lock."),
	rule("error", "A program cannot be explored, or a history not be judged."),
	rule("history", "A recorded history does not keep the promise of the isolation level."),
	rule(Anomaly, "Calls that run at the same time do what no serial order of them does."),
}

func rule(id, what string) sarifRule {
	return sarifRule{id, sarifMessage{what}, report.Glossary}
}

func (l *Log) sarif(w io.Writer) error {
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{"txmc", l.Version, home, rules}
	how := sarifInvocation{Successful: len(l.errors) == 0}
	for _, c := range l.cases {
		for _, v := range c.violations {
			run.Results = append(run.Results, violationResult(v))
		}
		if (!c.result.Complete && !c.result.Within() || c.result.Unchecked != "") && len(c.violations) == 0 {
			how.Notifications = append(how.Notifications, sarifNotification{"warning", sarifMessage{strings.TrimSpace(l.Text.Result(c.result))}})
		}
	}
	for _, j := range l.judged {
		switch j.Outcome {
		case Violated:
			run.Results = append(run.Results, j.sarif())
		case Undecided:
			how.Notifications = append(how.Notifications, sarifNotification{"warning", sarifMessage{strings.TrimSpace(j.Say)}})
		}
	}
	for _, e := range l.errors {
		run.Results = append(run.Results, errorResult(e))
		how.Notifications = append(how.Notifications, sarifNotification{"error", sarifMessage{l.Text.Problem(e)}})
	}
	run.Invocations = []sarifInvocation{how}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func violationResult(v *report.Violation) sarifResult {
	kind, name := "assertion", ""
	if len(v.Failures) > 0 {
		kind, name = v.Failures[0].Kind, v.Failures[0].Name
	}
	r := result(kind, v.Package, v.Program, title(v.Program, v.Iso)+": "+summary(v), where(v))
	r.Fingerprints = fingerprint(append([]string{v.Package, v.Program, v.Iso, kind, name}, why(v)...)...)
	r.CodeFlows = flows(v)
	return r
}

func errorResult(e *report.Error) sarifResult {
	r := result("error", e.Package, e.Program, title(e.Program, e.Iso)+": "+e.Message, e.At)
	r.Fingerprints = fingerprint(e.Package, e.Program, e.Iso, e.Kind, e.Session)
	return r
}

func result(kind, pkg, program, text, at string) sarifResult {
	index := max(0, slices.IndexFunc(rules, func(r sarifRule) bool { return r.ID == kind }))
	here := location(at)
	here.Logical = []sarifLogical{{strings.Trim(pkg+"."+program, "."), "function"}}
	return sarifResult{RuleID: rules[index].ID, RuleIndex: index, Level: "error", Message: sarifMessage{text}, Locations: []sarifLocation{here}}
}

// location is a place in a file, which a viewer resolves against the root of the sources.
func location(at string) sarifLocation {
	file, line := position(at)
	if file == "" {
		return sarifLocation{}
	}
	p := &sarifPhysical{}
	p.Artifact.URI = (&url.URL{Path: file}).String()
	if line > 0 {
		p.Region = &sarifRegion{line}
	}
	return sarifLocation{Physical: p}
}

// fingerprint identifies a result among those of other runs.
func fingerprint(parts ...string) map[string]string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return map[string]string{"txmcCause/v1": hex.EncodeToString(sum[:16])}
}

// why is the anomaly with the dependencies of its cycle.
func why(v *report.Violation) (parts []string) {
	if v.Explanation == nil {
		return nil
	}
	parts = append(parts, v.Explanation.Words.Title)
	for _, d := range v.Explanation.Cycle {
		parts = append(parts, d.Kind, d.From, d.To, d.Key)
	}
	return parts
}

// flows are the operations of a violation in the order of its schedule.
func flows(v *report.Violation) []sarifFlow {
	if v.Explanation == nil {
		return nil
	}
	byID := map[string]*report.Transaction{}
	for i := range v.History.Transactions {
		byID[v.History.Transactions[i].ID] = &v.History.Transactions[i]
	}
	var steps []sarifStep
	for _, s := range v.Explanation.Steps {
		txn := byID[s.Transaction]
		if txn == nil || s.Op != "begin" && (s.Event < 1 || s.Event > len(txn.Events)) {
			continue
		}
		at, what := txn.At, "begin "+txn.Name
		if s.Op != "begin" {
			e := &txn.Events[s.Event-1]
			at, what = e.At, e.Op+" "+e.Key+" = "+e.Shown()
		}
		if at == "" {
			continue
		}
		step := location(at)
		step.Message = &sarifMessage{cmp.Or(txn.Session, txn.ID) + ": " + strings.TrimSpace(what)}
		steps = append(steps, sarifStep{step})
	}
	if steps == nil {
		return nil
	}
	return []sarifFlow{{[]sarifThread{{steps}}}}
}
