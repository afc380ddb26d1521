package bench

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"
)

// writer writes results as text (tables and a summary), as csv (a line for each run) or as
// json (an object a line: the runs, then the summaries). Lines of csv and json are written
// when the run ends. So nothing is lost when what comes after it fails.
type writer struct {
	w       io.Writer
	format  string
	timeout time.Duration
	results []Result
}

// begin writes what stands before the first run.
func (w *writer) begin() error {
	if w.format != "csv" {
		return nil
	}
	return w.line("experiment", "app", "client", "sessions", "transactions", "algorithm",
		"histories", "end_states", "explored", "blocked", "seconds", "peak_bytes", "timeout")
}

// add writes a run that has ended.
func (w *writer) add(r Result) error {
	w.results = append(w.results, r)
	switch w.format {
	case "csv":
		return w.line(r.Experiment, r.App, r.Client, strconv.Itoa(r.Sessions), strconv.Itoa(r.Transactions), r.Algorithm,
			fmt.Sprint(r.Histories), fmt.Sprint(r.EndStates), fmt.Sprint(r.Explored), fmt.Sprint(r.Blocked),
			strconv.FormatFloat(r.Seconds, 'f', 6, 64), fmt.Sprint(r.PeakBytes), strconv.FormatBool(r.Timeout))
	case "json":
		return json.NewEncoder(w.w).Encode(struct {
			Type string `json:"type"`
			Result
		}{"run", r})
	}
	return nil
}

// end writes what stands behind the last run.
func (w *writer) end() error {
	switch w.format {
	case "csv":
		return nil
	case "json":
		for _, s := range Summarize(w.results, w.timeout) {
			if err := json.NewEncoder(w.w).Encode(struct {
				Type string `json:"type"`
				Summary
			}{"summary", s}); err != nil {
				return err
			}
		}
		return nil
	}
	return writeText(w.w, w.results, w.timeout)
}

// line writes a line of csv.
func (w *writer) line(fields ...string) error {
	c := csv.NewWriter(w.w)
	c.Write(fields)
	c.Flush()
	return c.Error()
}

func writeText(w io.Writer, results []Result, timeout time.Duration) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	last := ""
	for _, r := range results {
		if key := r.Experiment + r.App + r.Client; key != last {
			if last == "" || !sameExperiment(last, r.Experiment) {
				fmt.Fprintf(t, "%s\t\t\t\t\t\t\t\n", r.Experiment)
				fmt.Fprintf(t, "client\talgorithm\thistories\tend states\texplored\ttime\tmemory\t\n")
			}
			last = key
		}
		mark := ""
		if r.Timeout {
			mark = ">"
		}
		fmt.Fprintf(t, "%s/%s\t%s\t%s%d\t%s%d\t%s%d\t%s%s\t%s\t\n", r.App, r.Client, r.Algorithm,
			mark, r.Histories, mark, r.EndStates, mark, r.Explored, mark, seconds(r.Seconds), megabytes(r.PeakBytes))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return writeSummary(w, Summarize(results, timeout), timeout)
}

func sameExperiment(key, experiment string) bool {
	return len(key) >= len(experiment) && key[:len(experiment)] == experiment
}

func writeSummary(w io.Writer, summaries []Summary, timeout time.Duration) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\nsummary\t\t\t\t\t\t\t\t\t\n")
	fmt.Fprintf(t, "experiment\talgorithm\truns\ttimeouts\tmean time\tmedian time\tmean memory\tmedian end states\tslower than CC\t\n")
	for _, s := range summaries {
		name := s.Algorithm
		if s.Size > 0 {
			name = fmt.Sprintf("%s, %d", s.Algorithm, s.Size)
		}
		slower := ""
		if s.Slower > 0 {
			slower = fmt.Sprintf("%.1f×", s.Slower)
			if s.Timeouts > 0 {
				slower = "> " + slower
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t%s\t%s\t%.0f\t%s\t\n", s.Experiment, name, s.Runs, s.Timeouts,
			seconds(s.MeanSeconds), seconds(s.MedianSeconds), megabytes(uint64(s.MeanBytes)), s.MedianEndStates, slower)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nA run that did not end within %v counts with that time; its counts, marked with >, are those reached by then.\n"+
		"Slower than CC is the median of the ratios of times, client by client.\n", timeout)
	return err
}

func seconds(s float64) string { return fmt.Sprintf("%.3fs", s) }

func megabytes(b uint64) string { return fmt.Sprintf("%.1fMB", float64(b)/1e6) }
