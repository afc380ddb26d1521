package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// result is what one run found and cost, as far as plots show it.
type result struct {
	experiment, algorithm  string
	sessions, transactions int
	endStates              int
	seconds, megabytes     float64
	timeout                bool
}

// The experiments, as txmc bench names them.
const (
	applications = "applications"
	sessions     = "sessions"
	transactions = "transactions"
)

// readRuns reads what txmc bench --format=csv writes. Columns are found by their
// names; more of them, in any order, do no harm.
func readRuns(r io.Reader) ([]result, error) {
	c := csv.NewReader(r)
	head, err := c.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("there is nothing to read: expected the output of txmc bench --format=csv")
	}
	if err != nil {
		return nil, err
	}
	var list []result
	for {
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		row := row{head: head, record: record}
		one := row.result()
		if row.err != nil {
			line, _ := c.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, row.err)
		}
		list = append(list, one)
	}
}

// row is a line of the file; err is the first error in it.
type row struct {
	head, record []string
	err          error
}

func (r *row) result() result {
	return result{
		experiment: r.text("experiment"), algorithm: r.text("algorithm"),
		sessions: field(r, "sessions", strconv.Atoi), transactions: field(r, "transactions", strconv.Atoi),
		endStates: field(r, "end_states", strconv.Atoi),
		seconds:   field(r, "seconds", float), megabytes: field(r, "peak_bytes", float) / 1e6,
		timeout: field(r, "timeout", strconv.ParseBool),
	}
}

func (r *row) text(column string) string {
	i := slices.Index(r.head, column)
	if i < 0 {
		r.fail(fmt.Errorf("there is no column %s: expected the output of txmc bench --format=csv", column))
		return ""
	}
	return r.record[i]
}

func (r *row) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// field is the value of a column.
func field[T any](r *row, column string, parse func(string) (T, error)) T {
	text := r.text(column)
	value, err := parse(text)
	if err != nil {
		r.fail(fmt.Errorf("column %s: %q is not as txmc bench writes it", column, text))
	}
	return value
}

func float(s string) (float64, error) { return strconv.ParseFloat(s, 64) }
