package smallest

import (
	"context"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report/explain"
	"github.com/txmc/txmc/semantics"
)

// Apart returns a violation of the same assertion, as small as found, whose
// explanation speaks of none of the irrelevant parts: found, where that is so, or
// the first that a bounded search meets. Without any it is found all the same.
func Apart(ctx context.Context, client *program.Client, opts dpor.Options, found *dpor.Found, parts []program.Part) *dpor.Found {
	if len(parts) == 0 || !speaksOf(client, found.History, parts) {
		return found
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	opts.All, opts.List, opts.Workers, opts.MaxHistories = true, false, 1, maxHistories
	rank := explain.RankOf(found.History)
	for other, err := range dpor.Explore(ctx, client, opts).Histories() {
		if err != nil {
			break
		}
		same := slices.ContainsFunc(other.Failures, func(f *program.Failure) bool { return Same(f, found.Failures[0]) })
		if same && explain.RankOf(other.History) == rank && !speaksOf(client, other.History, parts) {
			return other
		}
	}
	return found
}

// speaksOf reports whether the explanation of a history has to do with one of the
// parts.
func speaksOf(client *program.Client, h *semantics.History, parts []program.Part) bool {
	e := explain.Explain(h)
	if e.Proof == nil {
		return false
	}
	return slices.ContainsFunc(e.Proof.Involved(), func(i int) bool {
		t := &h.Txns[i]
		return slices.ContainsFunc(parts, func(p program.Part) bool {
			return p.Session == client.SessionName(t.Session) && (p.Txn < 0 || p.Txn == t.Index)
		})
	})
}
