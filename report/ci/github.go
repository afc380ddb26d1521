package ci

import (
	"fmt"
	"strings"

	"github.com/txmc/txmc/report"
)

// Annotations of GitHub Actions ("Workflow commands for GitHub Actions"): a line of the
// standard output that the server shows beside a line of the code.

// GitHubViolation is the annotation of a violation.
func GitHubViolation(v *report.Violation) string {
	return annotation(where(v), title(v.Program, v.Iso), summary(v))
}

// GitHubError is the annotation of a program that cannot be explored.
func GitHubError(e *report.Error) string {
	return annotation(e.At, title(e.Program, e.Iso), e.Message)
}

func annotation(at, title, message string) string {
	var properties []string
	if file, line := position(at); file != "" {
		properties = append(properties, "file="+property(file))
		if line > 0 {
			properties = append(properties, fmt.Sprintf("line=%d", line))
		}
	}
	properties = append(properties, "title="+property(title))
	return fmt.Sprintf("::error %s::%s\n", strings.Join(properties, ","), data(message))
}

// data escapes a message, and property a property's value, as the runner reads them.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string { return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s)) }
