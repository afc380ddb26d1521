package monkeydb

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

// Write writes rows as text, csv (a line a row) or json (an object a line).
func Write(w io.Writer, format string, rows []Row) error {
	switch format {
	case "csv":
		return writeCSV(w, rows)
	case "json":
		e := json.NewEncoder(w)
		for _, r := range rows {
			if err := e.Encode(r); err != nil {
				return err
			}
		}
		return nil
	}
	return writeText(w, rows)
}

func writeCSV(w io.Writer, rows []Row) error {
	c := csv.NewWriter(w)
	list := [][]string{{"benchmark", "assertion", "iso", "sessions", "seeds", "broke", "iterations", "published", "real", "real_broke"}}
	for _, r := range rows {
		list = append(list, []string{r.Benchmark, r.Assertion, r.Iso, strconv.Itoa(r.Sessions), strconv.Itoa(r.Seeds), strconv.Itoa(r.Broke),
			plain(r.Iterations), plain(r.Published), strconv.Itoa(r.Real), strconv.Itoa(r.RealBroke)})
	}
	return c.WriteAll(list)
}

func plain(f float64) string {
	if f == 0 {
		return ""
	}
	return strconv.FormatFloat(f, 'f', 2, 64)
}

// writeText is at most 80 columns wide.
func writeText(w io.Writer, rows []Row) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	benchmark := ""
	for _, r := range rows {
		if r.Benchmark != benchmark {
			if benchmark != "" {
				fmt.Fprintln(t)
			}
			benchmark = r.Benchmark
			fmt.Fprintf(t, "%s\tlevel\tclients\titerations\tpaper\tPostgreSQL\n", benchmark)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\n", r.Assertion, r.Iso, r.Sessions, r.took(), r.published(), r.real())
	}
	fmt.Fprint(t, `
iterations: mean number of runs, each on a fresh database, until the assertion
breaks. paper: of its table 1, or of the example output of its artifact (20 runs
a row); more: we need more. PostgreSQL: runs that broke the assertion on a real
server at READ COMMITTED, whose clients did the same in the same order.
`)
	return t.Flush()
}

func (r Row) took() string {
	switch {
	case r.Broke == 0:
		return "never"
	case r.Published > 0 && r.Iterations > r.Published:
		return fmt.Sprintf("%.2f more", r.Iterations)
	}
	return fmt.Sprintf("%.2f", r.Iterations)
}

func (r Row) published() string {
	if r.Published == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", r.Published)
}

func (r Row) real() string {
	if r.Real == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", r.RealBroke, r.Real)
}
