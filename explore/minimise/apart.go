package minimise

import (
	"context"
	"iter"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Apart returns a violation of the same assertion that is as small as found. A bounded
// search looks for one whose explanation speaks of as few irrelevant parts as possible,
// of none at best. If there is no such violation, Apart returns found.
func Apart(ctx context.Context, client *program.Client, opts dpor.Options, found *dpor.Found, parts []program.Part) *dpor.Found {
	best, least := found, len(spokenOf(client, found.History, parts))
	rank := anomaly.RankOf(found.History)
	for _, search := range []func(context.Context, *program.Client, dpor.Options) iter.Seq[*dpor.Found]{near, soon} {
		if least == 0 {
			break
		}
		for other := range search(ctx, client, opts) {
			same := slices.ContainsFunc(other.Failures, func(f *behaviour.Failure) bool { return Same(f, found.Failures[0]) })
			if !same || anomaly.RankOf(other.History) != rank {
				continue
			}
			if n := len(spokenOf(client, other.History, parts)); n < least {
				best, least = other, n
			}
			if least == 0 {
				break
			}
		}
	}
	return best
}

// spokenOf returns the parts that the explanation of a history has to do with.
func spokenOf(client *program.Client, h *semantics.History, parts []program.Part) (spoken []program.Part) {
	if len(parts) == 0 {
		return nil
	}
	proof := anomaly.Explain(h).Proof
	if proof == nil {
		return nil
	}
	involved := proof.Involved()
	for _, p := range parts {
		if slices.ContainsFunc(involved, func(i int) bool {
			t := &h.Txns[i]
			return p.Session == client.SessionName(t.Session) && (p.Txn < 0 || p.Txn == t.Index)
		}) {
			spoken = append(spoken, p)
		}
	}
	return spoken
}
