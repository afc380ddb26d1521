package bench

import (
	"slices"
	"time"
)

// Summary is what the runs of an algorithm have in common: of an experiment, or of
// one of its sizes.
type Summary struct {
	Experiment      string  `json:"experiment"`
	Algorithm       string  `json:"algorithm"`
	Size            int     `json:"size,omitempty"` // sessions, or transactions per session
	Runs            int     `json:"runs"`
	Timeouts        int     `json:"timeouts"`
	MeanSeconds     float64 `json:"mean_seconds"` // a timeout counts as the limit
	MedianSeconds   float64 `json:"median_seconds"`
	MeanBytes       float64 `json:"mean_bytes"`
	MedianBytes     float64 `json:"median_bytes"`
	MeanEndStates   float64 `json:"mean_end_states"`
	MedianEndStates float64 `json:"median_end_states"`
	// Slower is the median, over the clients, of this algorithm's time by CC's; 0
	// where there is nothing to compare. With timeouts it is a lower bound.
	Slower float64 `json:"slower_than_cc,omitempty"`
}

// size is the scale of a run of a scaling experiment, else 0.
func (r Result) size() int {
	switch r.Experiment {
	case Sessions:
		return r.Sessions
	case Transactions:
		return r.Transactions
	}
	return 0
}

// Summarize summarizes by experiment, size and algorithm, in the order of the
// results.
func Summarize(results []Result, timeout time.Duration) []Summary {
	type group struct {
		experiment, algorithm string
		size                  int
	}
	var order []group
	members := map[group][]Result{}
	cc := map[string]float64{}
	for _, r := range results {
		if r.Timeout {
			r.Seconds = timeout.Seconds()
		}
		g := group{r.Experiment, r.Algorithm, r.size()}
		if members[g] == nil {
			order = append(order, g)
		}
		members[g] = append(members[g], r)
		if r.Algorithm == "CC" && r.Experiment == Applications {
			cc[r.App+"/"+r.Client] = r.Seconds
		}
	}
	var list []Summary
	for _, g := range order {
		rs := members[g]
		s := Summary{Experiment: g.experiment, Algorithm: g.algorithm, Size: g.size, Runs: len(rs)}
		var ratios []float64
		for _, r := range rs {
			if r.Timeout {
				s.Timeouts++
			}
			if base := cc[r.App+"/"+r.Client]; base > 0 && r.Experiment == Applications && r.Algorithm != "CC" {
				ratios = append(ratios, r.Seconds/base)
			}
		}
		s.MeanSeconds, s.MedianSeconds = middle(rs, func(r Result) float64 { return r.Seconds })
		s.MeanBytes, s.MedianBytes = middle(rs, func(r Result) float64 { return float64(r.PeakBytes) })
		s.MeanEndStates, s.MedianEndStates = middle(rs, func(r Result) float64 { return float64(r.EndStates) })
		s.Slower = median(ratios)
		list = append(list, s)
	}
	return list
}

// middle returns mean and median of a figure of the results.
func middle(rs []Result, figure func(Result) float64) (mean, mid float64) {
	var all []float64
	for _, r := range rs {
		all = append(all, figure(r))
		mean += figure(r) / float64(len(rs))
	}
	return mean, median(all)
}

// median returns 0 for nothing.
func median(all []float64) float64 {
	n := len(all)
	if n == 0 {
		return 0
	}
	all = slices.Sorted(slices.Values(all))
	return (all[(n-1)/2] + all[n/2]) / 2
}
