package smallest

import (
	"context"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/report"
)

// Report is the violation to show after a search that stopped at the first:
// the smallest, with what is irrelevant to it.
func Report(ctx context.Context, src report.Source, first *dpor.Found) *report.Violation {
	found := Violation(ctx, src.Client, src.Options, first)
	parts := Irrelevant(ctx, src.Client, src.Options, found)
	found = Apart(ctx, src.Client, src.Options, found, parts)
	parts = Unspoken(ctx, src.Client, src.Options, found, parts)
	v := src.Violation(found)
	if v.Explanation.ForbiddenBy != "" {
		v.AtSER = AtSER(ctx, src.Client, src.Options, found.Failures[0])
	}
	for _, part := range parts {
		p := report.Part{Session: part.Session}
		if part.Txn >= 0 {
			p.Transaction = part.String()
		}
		v.Irrelevant = append(v.Irrelevant, p)
	}
	return v
}
