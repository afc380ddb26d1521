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
	"slices"

	"github.com/txmc/txmc/program/rows"
)

// Variable is the environment variable with the name of the file.
const Variable = "TXMC_FIND_RECORD"

// line is a line of the file: a statement, what has failed, that the receiver of the call is made, or without any of these the
// beginning of a run.
type line struct {
	Program string     `json:"program"`
	Sent    *rows.Sent `json:"sent,omitempty"`
	Failed  string     `json:"failed,omitempty"`
	Making  bool       `json:"making,omitempty"`
}

// To keeps the statements of a program. It is for [github.com/txmc/txmc/pg.Recorded].
func To(program string) func(rows.Sent) {
	return func(s rows.Sent) { write(line{Program: program, Sent: &s}) }
}

// Making notes that what the program's session calls is made: what is sent until it begins is no part of the call.
func Making(program string) { write(line{Program: program, Making: true}) }

// Run notes that the program's session begins.
func Run(program string) { write(line{Program: program}) }

// Failed notes that code of the program has failed in part: what is a function's name.
func Failed(program, what string, err any) {
	if err != nil {
		write(line{Program: program, Failed: fmt.Sprintf("%s: %v", what, err)})
	}
}

// Failures reads what has failed, each once.
func Failures(r io.Reader) (list []string, err error) {
	err = lines(r, func(l line) {
		if l.Failed != "" && !slices.Contains(list, l.Failed) {
			list = append(list, l.Failed)
		}
	})
	return list, err
}

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
	longest, now, making := map[string][]rows.Sent{}, map[string][]rows.Sent{}, map[string]bool{}
	err := lines(r, func(l line) {
		switch {
		case l.Failed != "":
			return
		case l.Sent == nil:
			making[l.Program] = l.Making
		}
		switch {
		case making[l.Program]:
			return
		case l.Sent == nil:
			now[l.Program] = nil
			return
		}
		now[l.Program] = append(now[l.Program], *l.Sent)
		if len(now[l.Program]) > len(longest[l.Program]) {
			longest[l.Program] = now[l.Program]
		}
	})
	if err != nil {
		return nil, err
	}
	return longest, nil
}

// lines reads the lines of the file.
func lines(r io.Reader, each func(line)) error {
	in := bufio.NewReader(r)
	for {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		var l line
		if err == nil {
			err = json.Unmarshal(text, &l)
		}
		if err != nil {
			return fmt.Errorf("what calls have sent cannot be read: %w", err)
		}
		each(l)
	}
}
