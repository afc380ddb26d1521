package smallest

import (
	"context"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// AtSER tells whether an assertion that failed at another level fails at
// serializability too, so that isolation is not the cause: "fails", "holds" when
// all histories were explored, or "" when a bounded search cannot tell.
func AtSER(ctx context.Context, client *program.Client, opts dpor.Options, failure *program.Failure) string {
	if opts.Level == isolation.SER {
		return ""
	}
	return newSearch(client, opts, failure).try(ctx, client, isolation.SER).String()
}

func (v verdict) String() string { return [...]string{"", "holds", "fails"}[v] }
