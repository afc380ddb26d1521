package bench

import (
	"slices"
	"time"

	"github.com/txmc/txmc/bench/plots"
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

// series are the curves of the plots: of experiment (a) for each algorithm the
// figures of the runs that ended; of (b) and (c) the means by size.
func series(results []Result) ([]plots.Cactus, []plots.Scaling) {
	cactus := []plots.Cactus{
		{Name: "time", Title: "Time", Unit: "seconds"},
		{Name: "memory", Title: "Peak memory", Unit: "MB"},
		{Name: "end-states", Title: "End states", Unit: "end states"},
	}
	for _, name := range algorithmNames() {
		var time, memory, ends []float64
		any := false
		for _, r := range results {
			if r.Experiment == Applications && r.Algorithm == name {
				any = true
				if !r.Timeout {
					time = append(time, r.Seconds)
					memory = append(memory, float64(r.PeakBytes)/1e6)
					ends = append(ends, float64(r.EndStates))
				}
			}
		}
		if any {
			for i, values := range [][]float64{time, memory, ends} {
				cactus[i].Curves = append(cactus[i].Curves, plots.Curve{Name: name, Values: values})
			}
		}
	}
	if len(cactus[0].Curves) == 0 {
		cactus = nil
	}
	return cactus, scalingSeries(results)
}

func scalingSeries(results []Result) []plots.Scaling {
	var list []plots.Scaling
	for _, experiment := range []string{Sessions, Transactions} {
		s := plots.Scaling{Name: experiment, Axis: map[string]string{Sessions: "sessions of 3 transactions", Transactions: "transactions in each of 3 sessions"}[experiment]}
		for size := 1; size <= maxScale; size++ {
			rs := slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Experiment != experiment || r.size() != size })
			if len(rs) == 0 {
				continue
			}
			p := plots.Size{Size: size, Runs: len(rs)}
			p.Seconds, _ = middle(rs, func(r Result) float64 { return r.Seconds })
			bytes, _ := middle(rs, func(r Result) float64 { return float64(r.PeakBytes) })
			p.Megabytes = bytes / 1e6
			for _, r := range rs {
				if r.Timeout {
					p.Timeouts++
				}
			}
			s.Sizes = append(s.Sizes, p)
		}
		if len(s.Sizes) > 0 {
			list = append(list, s)
		}
	}
	return list
}
