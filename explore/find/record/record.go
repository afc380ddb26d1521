// Package record keeps what calls of an application send when they run, for txmc find: the
// process that runs them writes a file, and the command reads it.
package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/txmc/txmc/program/rows"
)

// Variable is the environment variable with the name of the file.
const Variable = "TXMC_FIND_RECORD"

// line is a line of the file: a statement, or without one the beginning of a run.
type line struct {
	Program string     `json:"program"`
	Sent    *rows.Sent `json:"sent,omitempty"`
}

// To keeps the statements of a program. It is for [github.com/txmc/txmc/pg.Recorded].
func To(program string) func(rows.Sent) {
	return func(s rows.Sent) { write(line{program, &s}) }
}

// Run notes that the program's session begins.
func Run(program string) { write(line{Program: program}) }

// write appends a line. Where nobody wants to know, nothing is kept.
func write(l line) {
	name := os.Getenv(Variable)
	if name == "" {
		return
	}
	text, err := json.Marshal(l)
	if err == nil {
		err = appended(name, append(text, '\n'))
	}
	if err != nil {
		panic(fmt.Sprintf("what is sent cannot be kept: %v", err)) // ends the run, with this message
	}
}

// appended appends to a file, by one call of the system: several processes have it.
func appended(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// Read reads what programs have sent, of each the run with the most statements.
func Read(r io.Reader) (map[string][]rows.Sent, error) {
	longest, now := map[string][]rows.Sent{}, map[string][]rows.Sent{}
	in := bufio.NewReader(r)
	for {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return longest, nil
		}
		var l line
		if err == nil {
			err = json.Unmarshal(text, &l)
		}
		if err != nil {
			return nil, fmt.Errorf("what calls have sent cannot be read: %w", err)
		}
		if l.Sent == nil {
			now[l.Program] = nil
			continue
		}
		now[l.Program] = append(now[l.Program], *l.Sent)
		if len(now[l.Program]) > len(longest[l.Program]) {
			longest[l.Program] = now[l.Program]
		}
	}
}
