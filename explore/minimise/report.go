package minimise

import (
	"context"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// Report is the violation to show after a search that stopped at the first:
// the smallest, with what is irrelevant to it.
func Report(ctx context.Context, src report.Source, client *program.Client, opts dpor.Options, first *dpor.Found) *report.Violation {
	found := Violation(ctx, client, opts, first)
	parts := Irrelevant(ctx, client, opts, found)
	found = Apart(ctx, client, opts, found, parts)
	parts = Unspoken(ctx, client, opts, found, parts)
	v := src.Violation(report.Case(*found))
	if v.Explanation.ForbiddenBy != "" {
		v.AtSER = AtSER(ctx, client, opts, found.Failures[0])
	}
	v.Irrelevant = Parts(parts)
	return v
}

// Parts are parts of a program as a report has them.
func Parts(parts []program.Part) (list []report.Part) {
	for _, part := range parts {
		p := report.Part{Session: part.Session}
		if part.Txn >= 0 {
			p.Transaction = part.String()
		}
		list = append(list, p)
	}
	return list
}
