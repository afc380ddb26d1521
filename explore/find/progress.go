package find

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Known is what is known at any time, for who cannot wait until the end.
type Known struct {
	mu     sync.Mutex
	report Report
}

// Report is what is known now.
func (k *Known) Report() *Report {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.report
	r.Findings = slices.Clone(k.report.Findings)
	return &r
}

// analysed notes what the analysis has come to.
func (k *Known) analysed(r *Report) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.report = *r
}

// add notes an anomaly.
func (k *Known) add(f *Finding) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.report.Findings = append(k.report.Findings, f)
}

// say says what is done.
func (f *finding) say(format string, args ...any) {
	if f.Progress != nil {
		f.Progress(fmt.Sprintf(format, args...))
	}
}

// found says that there is an anomaly, at once.
func (r *runner) found(f *Finding) {
	told := *f
	r.Known.add(&told)
	r.say("found: %v, %s", f.Rank, strings.Join(f.Calls, " × "))
}
