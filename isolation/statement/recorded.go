package statement

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// Recorded is a program with the outcomes that a real server gave over all
// interleavings of its statements. A file of them has one JSON object a line.
type Recorded struct {
	Program    Program  `json:"program"`
	SQL        []string `json:"sql"`
	Executions int      `json:"executions"`
	// Outcomes gives for each outcome one schedule: the sessions in the order
	// of their steps. A blocked session is not named again until its statement
	// has returned.
	Outcomes map[string]string `json:"outcomes"`
}

// Decode calls visit with every recorded program of a stream. It ends with the
// first error: of the stream, or of visit.
func Decode(r io.Reader, visit func(*Recorded) error) error {
	in := bufio.NewReader(r)
	for line := 1; ; line++ {
		text, err := in.ReadBytes('\n')
		if len(text) > 0 {
			var rec Recorded
			if err := json.Unmarshal(text, &rec); err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
			if err := visit(&rec); err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// ReadFile calls visit with every recorded program of a file.
func ReadFile(name string, visit func(*Recorded) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := Decode(f, visit); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Encode writes a recorded program as one line.
func (r *Recorded) Encode(w io.Writer) error { return json.NewEncoder(w).Encode(r) }
