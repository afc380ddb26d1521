package main

import "slices"

// cactusPlots are the plots of the experiment applications: for each algorithm, in
// the order of the results, time, memory and end states of the runs that ended.
func cactusPlots(runs []result) []cactus {
	plots := []cactus{
		{name: "time", title: "Time", unit: "seconds"},
		{name: "memory", title: "Peak memory", unit: "MB"},
		{name: "end-states", title: "End states", unit: "end states"},
	}
	at := map[string]int{}
	for _, r := range runs {
		if r.experiment != applications {
			continue
		}
		i, known := at[r.algorithm]
		if !known {
			i = len(at)
			at[r.algorithm] = i
			for p := range plots {
				plots[p].curves = append(plots[p].curves, curve{name: r.algorithm})
			}
		}
		if r.timeout {
			continue
		}
		for p, value := range []float64{r.seconds, r.megabytes, float64(r.endStates)} {
			plots[p].curves[i].values = append(plots[p].curves[i].values, value)
		}
	}
	if len(at) == 0 {
		return nil
	}
	return plots
}

// scalingPlots are the plots of the experiments sessions and transactions: means
// by size. A run that did not end counts with what it had reached.
func scalingPlots(runs []result) []scaling {
	var list []scaling
	for _, s := range []scaling{
		{name: sessions, axis: "sessions of 3 transactions"},
		{name: transactions, axis: "transactions in each of 3 sessions"},
	} {
		for _, r := range runs {
			if r.experiment == s.name {
				s.add(r)
			}
		}
		if len(s.sizes) > 0 {
			slices.SortFunc(s.sizes, func(a, b size) int { return a.size - b.size })
			list = append(list, s)
		}
	}
	return list
}

// add counts a run with those of its size.
func (s *scaling) add(r result) {
	n := r.sessions
	if s.name == transactions {
		n = r.transactions
	}
	i := slices.IndexFunc(s.sizes, func(x size) bool { return x.size == n })
	if i < 0 {
		i = len(s.sizes)
		s.sizes = append(s.sizes, size{size: n})
	}
	x := &s.sizes[i]
	x.runs++
	x.seconds += (r.seconds - x.seconds) / float64(x.runs)
	x.megabytes += (r.megabytes - x.megabytes) / float64(x.runs)
	if r.timeout {
		x.timeouts++
	}
}
