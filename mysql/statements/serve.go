package statements

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/txmc/txmc/explore/find/parsed"
)

// Serve answers questions, a line of JSON each, until there are no more. The error says what
// is wrong with the questions or with the writer.
func Serve(questions io.Reader, answers io.Writer) error {
	in, out := bufio.NewReader(questions), json.NewEncoder(answers)
	var schema *Schema
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		var q parsed.Question
		if err == nil {
			err = json.Unmarshal(line, &q)
		}
		if err != nil {
			return fmt.Errorf("a question cannot be read: %w", err)
		}
		var a parsed.Answer
		if schema, err = answer(schema, q, &a); err != nil {
			a = parsed.Answer{Error: err.Error()}
		}
		if err := out.Encode(a); err != nil {
			return fmt.Errorf("an answer cannot be written: %w", err)
		}
	}
}

// answer answers a question, and returns the schema for the next one.
func answer(s *Schema, q parsed.Question, a *parsed.Answer) (*Schema, error) {
	var err error
	switch {
	case q.Schema != "":
		if s, err = New(q.Schema); err == nil {
			a.Tables = s.Tables
		}
	case s == nil:
		err = errors.New("there is no schema yet")
	case q.Statement != "":
		a.Accesses, a.Results, err = s.Analyse(q.Statement)
	default:
		err = s.Try(q.Rows)
	}
	return s, err
}

// Main serves a process's questions on its file descriptors 4 and 3, and ends the process.
func Main() {
	if err := Serve(os.NewFile(4, "questions"), os.NewFile(3, "answers")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
